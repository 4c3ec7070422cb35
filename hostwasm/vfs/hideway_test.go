//go:build linux || darwin

package vfs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// wayHome makes a home in which .cache is a symbolic link to another directory,
// where the hidden one is, and hands the home over.
func wayHome(t *testing.T) (home, disk string, fs vfs.FS, hidden *vfs.Hidden) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	home, disk = filepath.Join(top, "home"), filepath.Join(top, "disk")
	must(t, os.MkdirAll(filepath.Join(disk, "own", "modules"), 0o777))
	must(t, os.MkdirAll(filepath.Join(home, "mine"), 0o777))
	must(t, os.WriteFile(filepath.Join(disk, "own", "modules", "key"), []byte(secret), 0o666))
	must(t, os.Symlink(disk, filepath.Join(home, ".cache")))
	hidden, err = vfs.Hide(filepath.Join(home, ".cache", "own", "modules"), filepath.Join(home, "later", "deep"))
	must(t, err)
	return home, disk, host(t, home, vfs.HostOptions{Hidden: hidden}), hidden
}

// A guest does not get to put something of its own in the place of a name that
// leads to a hidden directory, be it a link, a directory or nothing yet.
func TestHiddenWay(t *testing.T) {
	for kind, beneath := range beneaths {
		t.Run(kind, func(t *testing.T) {
			home, _, fs, _ := wayHome(t)
			beneath(fs)
			is(t, "remove the link", fs.Unlink(".cache"), errno.PERM)
			is(t, "move the link", fs.Rename(".cache", "x"), errno.PERM)
			is(t, "replace the link", fs.Rename("mine", ".cache"), errno.PERM)
			is(t, "link to it", fs.Link(".cache", "mine/x"), nil)
			is(t, "make what is there", fs.Mkdir(".cache", 0), errno.EXIST)
			must(t, os.Remove(filepath.Join(home, ".cache"))) // a person
			for _, name := range []string{".cache", "later"} {
				is(t, "mkdir "+name, fs.Mkdir(name, 0), errno.PERM)
				is(t, "symlink "+name, fs.Symlink("mine", name), errno.PERM)
				is(t, "rename to "+name, fs.Rename("mine", name), errno.PERM)
				_, err := fs.Open(name, vfs.How{Write: true, Create: true})
				is(t, "create "+name, err, errno.PERM)
				_, err = fs.Open(name, vfs.How{Write: true, Create: true, Exclusive: true})
				is(t, "create new "+name, err, errno.PERM)
			}
			must(t, fs.Mkdir("mine/.cache", 0)) // elsewhere it is a name like any other
		})
	}
}

// What stands in the place of a hidden directory, or of one that leads there, is
// as good as hidden: a host has made it anew, perhaps, after a person removed it.
func TestHiddenMadeAnew(t *testing.T) {
	for kind, beneath := range beneaths {
		t.Run(kind, func(t *testing.T) {
			_, disk, _, hidden := wayHome(t)
			fs := beneath(host(t, disk, vfs.HostOptions{Hidden: hidden}))
			again := filepath.Join(disk, "own", "modules")
			// It is kept elsewhere, or what is new might get its inode.
			must(t, os.Rename(filepath.Join(disk, "own"), filepath.Join(t.TempDir(), "old")))
			must(t, os.MkdirAll(again, 0o777))
			must(t, os.WriteFile(filepath.Join(again, "key"), []byte(secret), 0o666))
			for _, name := range []string{"own/modules/key", "own/modules", "own"} {
				_, err := fs.Open(name, vfs.How{Read: true})
				is(t, "open "+name, err, errno.PERM)
				is(t, "remove "+name, fs.Unlink(name), errno.PERM)
			}
			is(t, "make in it", fs.Mkdir("own/modules/x", 0), errno.PERM)
			if fs, err := vfs.OpenHost(again, vfs.HostOptions{Hidden: hidden}); err == nil {
				fs.Close()
				t.Error("what was made anew is handed over")
			} else if !strings.Contains(err.Error(), "not for guests") {
				t.Error(err)
			}
		})
	}
}

// A guest does not lock the host out of what is hidden, or let others in.
func TestHiddenModes(t *testing.T) {
	b := newBurrow(t)
	fs := host(t, b.home, vfs.HostOptions{Hidden: b.hidden})
	for _, name := range []string{".cache", ".cache/own", ".cache/own/modules"} {
		is(t, "mode of "+name, fs.SetMode(name, vfs.ModeKnown|0o777), errno.PERM)
	}
	must(t, fs.SetMode("proj", vfs.ModeKnown|0o750))
}
