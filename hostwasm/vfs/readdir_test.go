package vfs_test

import (
	"math"
	"slices"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// TestReadDirPieces lists each kind of directory in pieces of all sizes.
func TestReadDirPieces(t *testing.T) {
	mounts := map[string]vfs.FS{"/dev": vfs.Devices(nil, false), "/bin": vfs.Bin([]string{"ls", "sh", "wc"}, nil)}
	dirs := []string{"/", "/dev", "/bin"}
	for kind, fs := range filesystems(t) {
		mounts["/"+kind] = fs
		dirs = append(dirs, "/"+kind)
	}
	tree := newTree(t, mounts)
	for _, dir := range dirs[3:] {
		for _, name := range []string{"a", "b", "c", "d"} {
			must(t, tree.Mkdir(abs(dir+"/"+name), 0))
		}
	}
	for _, dir := range dirs {
		f, _, err := tree.Open(abs(dir), vfs.How{Read: true, Directory: true})
		must(t, err)
		var want []string
		for size := 100; size > 0; size-- {
			var got []string
			for cookie := uint64(0); ; {
				entries, err := f.ReadDir(cookie, size)
				must(t, err)
				if len(entries) == 0 {
					break
				}
				for _, e := range entries {
					got, cookie = append(got, e.Name), e.Next
				}
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) || len(got) < 5 {
				t.Fatalf("%s, %d at once: got %q, want %q", dir, size, got, want)
			}
		}
		// Cookies that nobody gave mean nothing in particular.
		for _, cookie := range []uint64{1000, math.MaxInt64, math.MaxUint64 - 1, math.MaxUint64} {
			if entries, _ := f.ReadDir(cookie, 2); len(entries) > 2 {
				t.Errorf("%s from %d: got %v, want at most 2", dir, cookie, entries)
			}
		}
		must(t, f.Close())
	}
}
