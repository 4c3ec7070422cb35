package vfs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// readDir reads a directory from a cookie on, most entries at a time.
func readDir(t testing.TB, f vfs.File, cookie uint64, most int) (entries []vfs.Entry) {
	t.Helper()
	for {
		batch, err := f.ReadDir(cookie, most)
		if err != nil {
			t.Fatalf("list from %x: %v", cookie, err)
		}
		if len(batch) > most {
			t.Fatalf("got %d entries, want %d at most", len(batch), most)
		}
		if len(batch) == 0 {
			return entries
		}
		entries = append(entries, batch...)
		cookie = batch[len(batch)-1].Next
	}
}

// directories are those that one can list, with at least 300 files.
func directories(t *testing.T) map[string]vfs.File {
	all := make(map[string]vfs.File)
	for kind, fs := range filesystems(t) {
		for i := range 300 {
			must(t, fs.Mkdir(fmt.Sprint("file", i), 0))
		}
		all[kind] = open(t, fs, ".", vfs.How{Directory: true})
		if kind != "memory" && kind != "host" {
			continue
		}
		tree := newTree(t, map[string]vfs.FS{"/": fs, "/file77": memory(), "/other/x": memory(), "/zero": memory()})
		f, _, err := tree.Open(abs("/"), vfs.How{Directory: true})
		must(t, err)
		t.Cleanup(func() { f.Close() })
		all[kind+" with mounts"] = f
	}
	return all
}

// Reading goes on from the cookie of any entry, in any order.
func TestListFromCookies(t *testing.T) {
	for kind, f := range directories(t) {
		entries := readDir(t, f, 0, 1000)
		if len(entries) < 302 || entries[0].Name != "." || entries[1].Name != ".." {
			t.Errorf("%s: got %d entries, the first %v, want 302 from .", kind, len(entries), entries[0])
			continue
		}
		for _, most := range []int{1, 7} {
			if again := readDir(t, f, 0, most); !slices.Equal(again, entries) {
				t.Errorf("%s: got other entries %d at a time", kind, most)
			}
		}
		for i := 0; i < len(entries); i += 13 {
			i := (i * 7) % len(entries)
			if rest := readDir(t, f, entries[i].Next, 50); !slices.Equal(rest, entries[i+1:]) {
				t.Errorf("%s: got %d entries after number %d, want %d", kind, len(rest), i, len(entries)-i-1)
			}
		}
		names := make(map[string]bool)
		for _, e := range entries {
			if names[e.Name] {
				t.Errorf("%s: %s is there twice", kind, e.Name)
			}
			names[e.Name] = true
			if e.Next >= 1<<63+1<<32 && (kind == "memory" || kind == "host") {
				t.Errorf("%s: cookie %x belongs to the Tree", kind, e.Next)
			}
		}
		none, err := f.ReadDir(0, 0)
		if len(none) != 0 || err != nil {
			t.Errorf("%s: got %v, %v, want no entries", kind, none, err)
		}
		for _, cookie := range []uint64{1 << 40, 1<<63 - 1, 1 << 63, 3<<62 - 1, 3 << 62, 1<<64 - 1} {
			f.ReadDir(cookie, 10) // whatever it returns, it does so
		}
		if again := readDir(t, f, 0, 100); !slices.Equal(again, entries) {
			t.Errorf("%s: got other entries after cookies that were made up", kind)
		}
	}
}

// Whoever removes what is listed sees all the same.
func TestListWhileRemoving(t *testing.T) {
	for kind, fs := range filesystems(t) {
		const files = 500
		for i := range files {
			must(t, fs.Mkdir(fmt.Sprint("file", i), 0))
		}
		f := open(t, fs, ".", vfs.How{Directory: true})
		removed := 0
		for cookie := uint64(2); ; {
			batch, err := f.ReadDir(cookie, 10)
			must(t, err)
			if len(batch) == 0 {
				break
			}
			for _, e := range batch {
				must(t, fs.Rmdir(e.Name))
				removed++
				cookie = e.Next
			}
		}
		if removed != files {
			t.Errorf("%s: got %d files while removing them, want %d", kind, removed, files)
		}
		must(t, fs.Mkdir("d", 0))
		d := open(t, fs, "d", vfs.How{Directory: true})
		must(t, fs.Rmdir("d"))
		if entries, err := d.ReadDir(2, 10); len(entries) > 0 || err != nil && err != errno.NOENT {
			t.Errorf("%s: got %v, %v of a directory that was removed", kind, entries, err)
		}
	}
}

func TestListHostileNames(t *testing.T) {
	dir := t.TempDir()
	fs := host(t, dir, vfs.HostOptions{})
	for _, name := range []string{"plain", "new\nline", "\x1b[31mred", "back\\slash", "not \xff UTF-8", "ünï", " "} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Skipf("this file system cannot have %q: %v", name, err)
		}
	}
	must(t, os.Symlink("\xff", filepath.Join(dir, "link")))
	var names []string
	for _, e := range readDir(t, open(t, fs, ".", vfs.How{Directory: true}), 2, 100) {
		names = append(names, e.Name)
		if e.Name != "link" {
			open(t, fs, e.Name, vfs.How{Read: true})
		}
	}
	slices.Sort(names)
	if want := []string{"\x1b[31mred", " ", "back\\slash", "link", "new\nline", "plain", "ünï"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	_, err := fs.Readlink("link")
	is(t, "readlink to what is not UTF-8", err, errno.ILSEQ)
}

// A directory costs no more memory for having many files: 5,000, or a million
// with TERRARIUM_LONG=1.
func TestListManyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("makes thousands of files, for the memory of one goroutine")
	}
	files := 5_000
	if os.Getenv("TERRARIUM_LONG") != "" {
		files = 1_000_000
	}
	dir := t.TempDir()
	fs := host(t, dir, vfs.HostOptions{})
	for i := range files {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("a file with a rather long name %d", i)), nil, 0o666))
	}
	f := open(t, fs, ".", vfs.How{Directory: true})
	before := heap()
	seen := 0
	for cookie := uint64(0); ; {
		batch, err := f.ReadDir(cookie, 100)
		must(t, err)
		if len(batch) == 0 {
			break
		}
		seen += len(batch)
		cookie = batch[len(batch)-1].Next
		if seen == files/2/100*100 {
			if grown := int64(heap()) - int64(before); grown > 256<<10 {
				t.Errorf("half of the list takes %d bytes of memory", grown)
			}
		}
	}
	if seen != files+2 {
		t.Errorf("got %d entries, want %d", seen, files+2)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
