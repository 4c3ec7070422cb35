package hostwasm

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// What is handed over read-only inside of what is not can't be written by another
// name that the host has for it: here a bind mount, which needs root; elsewhere a
// file system that does not tell capital letters apart.
func TestProtected(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"secret", "alias", "above/alias", "open"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "secret", "file"), []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { // ends with its thread, which nobody else gets
		runtime.LockOSThread()
		err := unix.Unshare(unix.CLONE_NEWNS)
		if err == nil {
			err = unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, "")
		}
		for _, alias := range []string{"alias", "above/alias"} {
			if err == nil {
				err = unix.Mount(filepath.Join(top, "secret"), filepath.Join(top, alias), "", unix.MS_BIND, "")
			}
		}
		if err == nil {
			err = tryAliases(t, top)
		}
		ended <- err
	}()
	if err := <-ended; errors.Is(err, unix.EPERM) {
		t.Skip("NOT RUN: no mounts of our own: ", err)
	} else if err != nil {
		t.Error(err)
	}
}

// tryAliases tries to write below each name that leads to top/secret.
func tryAliases(t *testing.T, top string) error {
	h := &Host{config: Config{
		Mounts: []Mount{{Dir: top, Guest: "/w"}, {Dir: filepath.Join(top, "secret"), Guest: "/w/secret", ReadOnly: true}},
		Tmp:    func(core.SessionID) (vfs.FS, error) { return vfs.Memory(vfs.MemoryOptions{}), nil },
	}}
	tree, err := h.tree(core.Command{})
	if err != nil {
		return err
	}
	defer tree.Close()
	write := func(name string) error {
		f, _, err := tree.Open(vfs.Path{Dir: "/w", Name: name}, vfs.How{Write: true, Create: true})
		if err == nil {
			f.Close()
		}
		return err
	}
	for _, test := range []struct {
		name string
		want error
	}{
		{"secret/file", errno.ROFS}, {"alias/file", errno.PERM}, {"above/alias/new", errno.PERM}, {"open/file", nil},
	} {
		if err := write(test.name); err != test.want {
			t.Errorf("write %s: got %v, want %v", test.name, err, test.want)
		}
	}
	// What it is read-only for can still be read.
	f, _, err := tree.Open(vfs.Path{Dir: "/w", Name: "secret/file"}, vfs.How{Read: true})
	if err != nil {
		return err
	}
	return f.Close()
}
