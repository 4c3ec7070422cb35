package vfs_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// TestHiddenElsewhere has bind mounts that lead around the name of a hidden
// directory, which needs root and is seen by this test alone.
func TestHiddenElsewhere(t *testing.T) {
	b := newBurrow(t)
	top := filepath.Dir(b.home)
	for _, dir := range []string{"self", "above", "around/a", "around/b", "big/cache/own/modules", "part/.cache"} {
		must(t, os.MkdirAll(filepath.Join(top, dir), 0o777))
	}
	must(t, os.WriteFile(filepath.Join(top, "big/cache/own/modules/key"), []byte(secret), 0o666))
	ended := make(chan bool)
	go func() { // ends with its thread, which nobody else gets
		defer close(ended)
		runtime.LockOSThread()
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			t.Logf("cannot mount: %v", err)
			return
		}
		if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
			t.Errorf("cannot mount in private: %v", err)
			return
		}
		for _, bind := range [][2]string{
			{"home/.cache/own/modules", "self"}, {"home", "above"},
			{"home/.cache/own/modules", "around/a"}, {"home/.cache", "around/b"},
			{"big/cache", "part/.cache"}, // so that the way up from there does not lead to big
		} {
			if err := unix.Mount(filepath.Join(top, bind[0]), filepath.Join(top, bind[1]), "", unix.MS_BIND, ""); err != nil {
				t.Errorf("mount %s: %v", bind[1], err)
				return
			}
		}
		part, err := vfs.Hide(filepath.Join(top, "part/.cache/own/modules"))
		if err != nil {
			t.Error(err)
			return
		}
		if fs, err := vfs.OpenHost(filepath.Join(top, "self"), vfs.HostOptions{Hidden: b.hidden}); err == nil {
			fs.Close()
			t.Error("it was handed over by another name")
		}
		for dir, want := range map[string]bool{"above": true, "around": true, "home": true, "home/proj": false, "part/.cache": false} {
			if got := mayBeBelow(t, b.hidden, filepath.Join(top, dir)); got != want {
				t.Errorf("what is hidden may be below %s: got %v, want %v", dir, got, want)
			}
		}
		if !mayBeBelow(t, part, filepath.Join(top, "big")) {
			t.Error("what is hidden may be below big: got false, want true")
		}
		for _, test := range []struct {
			dir    string
			hidden *vfs.Hidden
			names  string
		}{
			{"above", b.hidden, ".cache/own/modules .cache/own/modules/key .cache/own/modules/entry/code"},
			{"around", b.hidden, "a a/key a/entry/code b/own/modules b/own/modules/key"},
			{"big", part, "cache/own/modules cache/own/modules/key"},
			{"big/cache", part, "own/modules own/modules/key"},
		} {
			for kind, beneath := range beneaths {
				fs, err := vfs.OpenHost(filepath.Join(top, test.dir), vfs.HostOptions{Hidden: test.hidden})
				if err != nil {
					t.Errorf("%s: %v", test.dir, err)
					continue
				}
				beneath(fs)
				for name := range strings.FieldsSeq(test.names) {
					what := kind + ": " + test.dir + "/" + name
					_, err := fs.Open(name, vfs.How{Read: true})
					is(t, "open "+what, err, errno.PERM)
					_, err = fs.Lstat(name)
					is(t, "stat "+what, err, errno.PERM)
					is(t, "times of "+what, fs.SetTimes(name, vfs.Times{Mtim: 1, SetMtim: true}), errno.PERM)
					is(t, "mkdir in "+what, fs.Mkdir(name+"/x", 0), errno.PERM)
				}
				fs.Close()
			}
		}
		b.check(t, b.at(".cache/own"))
	}()
	<-ended
}

func mayBeBelow(t *testing.T, h *vfs.Hidden, name string) bool {
	dir, err := os.Open(name)
	if err != nil {
		t.Error(err) // this is not the test's goroutine
		return false
	}
	defer dir.Close()
	return h.MayBeBelow(dir)
}
