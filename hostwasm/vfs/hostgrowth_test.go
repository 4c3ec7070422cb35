//go:build linux || darwin

package vfs_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// pad makes names long.
var pad = strings.Repeat("x", 200)

// fill makes so many long names in a directory, and returns what has refused one.
func fill(t *testing.T, fs vfs.FS, dir string, n int) error {
	t.Helper()
	f, err := fs.Open(dir+"/f", vfs.How{Write: true, Create: true})
	if err != nil {
		return err
	}
	must(t, f.Close())
	for i := range n {
		if err := fs.Link(dir+"/f", fmt.Sprint(dir, "/", pad, i)); err != nil {
			return err
		}
	}
	return nil
}

// empty removes what fill has made.
func empty(fs vfs.FS, dir string, n int) {
	for i := range n {
		fs.Unlink(fmt.Sprint(dir, "/", pad, i))
	}
	fs.Unlink(dir + "/f")
}

// onDisk returns how many bytes a directory has on the disk.
func onDisk(t *testing.T, dir string) int64 {
	t.Helper()
	var s syscall.Stat_t
	must(t, syscall.Lstat(dir, &s))
	return min(s.Size, s.Blocks*512)
}

// What directories have grown by counts, also once they are empty. On ext4, they
// stay large; a guest that fills and empties one after the other has the quota that
// it needs on the disk.
func TestDirectoriesThatWereLarge(t *testing.T) {
	const quota, names = 1 << 20, 500
	dir := t.TempDir()
	q := vfs.NewQuota(quota, 10_000)
	fs := host(t, dir, vfs.HostOptions{Quota: q, Blocks: true})
	var err error
	var disk int64
	made := 0
	for ; err == nil && made < 20; made++ {
		name := fmt.Sprint("d", made)
		if err = fs.Mkdir(name, 0); err == nil {
			err = fill(t, fs, name, names)
			empty(fs, name, names)
			disk += onDisk(t, filepath.Join(dir, name))
		}
	}
	if disk > quota+16<<12 || err != nil && err != errno.DQUOT {
		t.Errorf("got %d bytes of %d directories on the disk (%v), want at most %d", disk, made, err, quota)
	}
	measured(t, q, dir)
	for i := range made {
		fs.Rmdir(fmt.Sprint("d", i))
	}
	used(t, q, "after all was removed", 0, 0)
}

// Who has no bytes left makes no directory larger.
func TestGrowthRunsOut(t *testing.T) {
	dir := t.TempDir()
	q := vfs.NewQuota(2<<12, 100_000)
	fs := host(t, dir, vfs.HostOptions{Quota: q, Blocks: true})
	must(t, fs.Mkdir("d", 0))
	f := open(t, fs, "file", vfs.How{Write: true, Create: true})
	_, err := f.WriteAt([]byte("x"), 0)
	must(t, err)
	must(t, f.Close())
	err = fill(t, fs, "d", 2000)
	if disk := onDisk(t, filepath.Join(dir, "d")); disk > 8<<12 || disk > 1<<12 && err != errno.DQUOT {
		t.Errorf("got a directory of %d bytes and %v, want no more than a few blocks", disk, err)
	}
	if err == errno.DQUOT {
		is(t, "rename", fs.Rename("file", "d/g"), errno.DQUOT)
		is(t, "symlink", fs.Symlink("x", "l"), errno.DQUOT)
	}
	empty(fs, "d", 2000)
	must(t, fs.Rmdir("d"))
	must(t, fs.Rename("file", "g"))
	must(t, fs.Mkdir("d", 0))
	used(t, q, "in the end", 2<<12, 2)
}

// A directory that is removed while it is open keeps its blocks until it is closed.
func TestLargeDirectoryRemovedOpen(t *testing.T) {
	dir := t.TempDir()
	q := vfs.NewQuota(0, 0)
	fs := host(t, dir, vfs.HostOptions{Quota: q, Blocks: true})
	must(t, fs.Mkdir("d", 0))
	must(t, fill(t, fs, "d", 500))
	empty(fs, "d", 500)
	large, _ := q.Used()
	first, second := open(t, fs, "d", vfs.How{}), open(t, fs, "d", vfs.How{})
	must(t, fs.Rmdir("d"))
	must(t, first.Close())
	used(t, q, "while it is open", large, 0)
	must(t, second.Close())
	used(t, q, "when it is closed", 0, 0)
}

// Whatever is done to large directories, the quota has what is there: as much as it
// is when somebody measures it.
func TestQuotaOfLargeDirectories(t *testing.T) {
	for seed := range uint64(2) {
		dir := t.TempDir()
		q := vfs.NewQuota(0, 0)
		fs := host(t, dir, vfs.HostOptions{Quota: q, Blocks: true})
		must(t, open(t, fs, "file", vfs.How{Write: true, Create: true}).Close())
		random := rand.New(rand.NewPCG(seed, 0))
		parent := func() string { return []string{"", "a/", "b/", "c/", "a/b/", "b/c/"}[random.IntN(6)] }
		name := func() string { return fmt.Sprint(parent(), pad, random.IntN(60)) }
		directory := func() string { return parent() + string(rune('a'+random.IntN(3))) }
		for n := range 3000 {
			switch random.IntN(16) {
			case 0, 1:
				fs.Mkdir(directory(), 0)
			case 2:
				fs.Rename(directory(), directory())
			case 3:
				clear := directory()
				for i := range 60 {
					fs.Unlink(fmt.Sprint(clear, "/", pad, i))
				}
				fs.Rmdir(clear)
			case 4:
				fs.Rename(name(), name())
			case 5:
				fs.Symlink("x", name())
			case 6:
				fs.Link("file", name())
			case 7:
				fs.Unlink(name())
			default:
				if f, err := fs.Open(name(), vfs.How{Write: true, Create: true}); err == nil {
					must(t, f.Close())
				}
			}
			if n%200 == 0 {
				measured(t, q, dir)
			}
			if t.Failed() {
				t.Fatalf("seed %d, after operation %d", seed, n)
			}
		}
	}
}

// measured fails if not as much is charged as there is.
func measured(t *testing.T, q *vfs.Quota, dir string) {
	t.Helper()
	bytes, names, err := vfs.Measure(dir)
	must(t, err)
	used(t, q, "measured anew", bytes, names)
}
