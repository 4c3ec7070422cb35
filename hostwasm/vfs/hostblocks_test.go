//go:build linux || darwin

package vfs_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A quota in blocks has been charged for what is there, whatever has made it, so
// that what removes it all gives back all.
func TestQuotaInBlocks(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dir := t.TempDir()
			q := vfs.NewQuota(40<<12, 12)
			fs := host(t, dir, vfs.HostOptions{Quota: q, Blocks: true})
			random := rand.New(rand.NewPCG(seed, 0))
			name := func() string { return string(rune('a' + random.IntN(8))) }
			for range 300 {
				what := random.IntN(9)
				switch what {
				case 0:
					fs.Mkdir(name(), 0)
				case 1:
					fs.Symlink(name(), name())
				case 2:
					fs.Link(name(), name())
				case 3:
					fs.Unlink(name())
				case 4:
					fs.Rmdir(name())
				case 5:
					fs.Rename(name(), name())
				default:
					f, err := fs.Open(name(), vfs.How{Write: true, Create: true, Append: what == 6, Truncate: random.IntN(5) == 0})
					if err != nil {
						continue
					}
					f.WriteAt(make([]byte, random.IntN(20_000)), random.Int64N(50_000))
					if what == 7 {
						f.Truncate(random.Int64N(100_000))
					}
					if what == 8 {
						f.Allocate(0, 1+random.Int64N(100_000))
					}
					must(t, f.Close())
				}
				bytes, names := there(t, dir)
				used(t, q, fmt.Sprint("after operation ", what), bytes, names)
				if bytes > 40<<12 || t.Failed() {
					t.Fatalf("%d blocks, of 40", bytes>>12)
				}
			}
		})
	}
}

// there returns how many bytes the blocks of what is in a directory have, each
// counted once, and how many names there are.
func there(t *testing.T, dir string) (bytes, names int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	seen := make(map[uint64]bool)
	for _, e := range entries {
		var s syscall.Stat_t
		must(t, syscall.Lstat(filepath.Join(dir, e.Name()), &s))
		if names++; seen[s.Ino] {
			continue
		}
		seen[s.Ino] = true
		blocks := int64(1)
		if e.Type().IsRegular() {
			blocks = (s.Size + 4095) / 4096
		}
		bytes += blocks << 12
	}
	return bytes, names
}

// Directories and small files take blocks, and not only names.
func TestBlocksRunOut(t *testing.T) {
	fs := host(t, t.TempDir(), vfs.HostOptions{Quota: vfs.NewQuota(10<<12, 1000), Blocks: true})
	for i := range 4 {
		must(t, fs.Mkdir(fmt.Sprint("d", i), 0))
		f := open(t, fs, fmt.Sprint("f", i), vfs.How{Write: true, Create: true})
		_, err := f.WriteAt([]byte("x"), 0)
		is(t, "write a byte", err, nil)
		must(t, f.Close())
	}
	must(t, fs.Symlink("x", "l"))
	f := open(t, fs, "f", vfs.How{Write: true, Create: true})
	n, err := f.WriteAt(make([]byte, 5000), 0)
	if is(t, "write two blocks", err, errno.DQUOT); n != 4096 {
		t.Errorf("got %d bytes written, want a block", n)
	}
	is(t, "mkdir", fs.Mkdir("d", 0), errno.DQUOT)
	is(t, "mkdir what exists", fs.Mkdir("d1", 0), errno.EXIST)
	is(t, "symlink", fs.Symlink("x", "m"), errno.DQUOT)
	is(t, "an empty file", open(t, fs, "g", vfs.How{Write: true, Create: true}).Close(), nil)
	must(t, fs.Link("f1", "h"))
	must(t, fs.Rmdir("d1"))
	must(t, fs.Mkdir("d", 0))
}
