package vfs_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// TestHiddenCopiedUp has a hidden directory in the lower layer of an overlay, as in an image of a
// container. Once something is written there, the kernel tells another birth of the same directory.
func TestHiddenCopiedUp(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"low/home/.cache/own/modules", "up", "all"} {
		must(t, os.MkdirAll(filepath.Join(top, dir), 0o777))
	}
	must(t, os.WriteFile(filepath.Join(top, "low/home/.cache/own/modules/key"), []byte(secret), 0o666))
	cannot := make(chan error, 1)
	go func() { // ends with its thread, which nobody else gets
		defer close(cannot)
		runtime.LockOSThread()
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			cannot <- err
			return
		}
		if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
			cannot <- err
			return
		}
		at := func(name string) string { return filepath.Join(top, name) }
		if err := unix.Mount("none", at("up"), "tmpfs", 0, ""); err != nil {
			cannot <- err
			return
		}
		os.Mkdir(at("up/u"), 0o777)
		os.Mkdir(at("up/w"), 0o777)
		o := "lowerdir=" + at("low") + ",upperdir=" + at("up/u") + ",workdir=" + at("up/w")
		if err := unix.Mount("overlay", at("all"), "overlay", 0, o); err != nil {
			cannot <- err
			return
		}
		hidden, err := vfs.Hide(at("all/home/.cache/own/modules"))
		if err != nil {
			t.Error(err)
			return
		}
		fs, err := vfs.OpenHost(at("all/home"), vfs.HostOptions{Hidden: hidden})
		if err != nil {
			t.Error(err)
			return
		}
		defer fs.Close()
		_, err = fs.Open(".cache/own/modules/key", vfs.How{Read: true})
		is(t, "open before", err, errno.PERM)
		if err := os.WriteFile(at("all/home/.cache/own/modules/another"), nil, 0o666); err != nil {
			t.Error(err)
			return
		}
		_, err = fs.Open(".cache/own/modules/key", vfs.How{Read: true})
		is(t, "open after", err, errno.PERM)
		is(t, "mkdir after", fs.Mkdir(".cache/own/modules/mine", 0), errno.PERM)
		is(t, "rename after", fs.Rename(".cache/own", "mine"), errno.PERM)
	}()
	if err := <-cannot; err != nil {
		t.Skip("NOT RUN: no overlay can be mounted: ", err)
	}
}
