package vfs_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// TestSystemElsewhere mounts what is not for guests at other places, which
// needs root and is seen by this test alone.
func TestSystemElsewhere(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"proc", "dev", "sys", "data", "outside"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o777))
	}
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
		for _, name := range []string{"proc", "dev", "sys"} {
			at := filepath.Join(dir, name)
			if err := unix.Mount("/"+name, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
				t.Errorf("mount %s: %v", at, err)
				return
			}
			if fs, err := vfs.OpenHost(at, vfs.HostOptions{}); err == nil {
				fs.Close()
				t.Errorf("%s was opened elsewhere", name)
			}
		}
		if err := unix.Mount(filepath.Join(dir, "outside"), filepath.Join(dir, "data"), "", unix.MS_BIND, ""); err != nil {
			t.Errorf("mount data: %v", err)
			return
		}
		for kind, beneath := range beneaths {
			fs, err := vfs.OpenHost(dir, vfs.HostOptions{})
			if err != nil {
				t.Errorf("open what is around: %v", err)
				return
			}
			beneath(fs)
			for _, name := range []string{"proc", "proc/version", "proc/meminfo", "dev/null", "sys/kernel"} {
				_, err := fs.Open(name, vfs.How{Read: true})
				is(t, kind+": open "+name, err, errno.PERM)
			}
			_, err = fs.Readlink("proc/self")
			is(t, kind+": readlink proc/self", err, errno.PERM)
			_, err = fs.Lstat("proc/version")
			is(t, kind+": lstat proc/version", err, errno.PERM)
			is(t, kind+": mkdir", fs.Mkdir("dev/x", 0), errno.PERM)
			is(t, kind+": mkdir in another file system", fs.Mkdir("data/"+kind, 0), nil)
			is(t, kind+": close", fs.Close(), nil)
		}
	}()
	<-ended
}

// TestTimesByAnother is a program that may set times by descriptor only: it asks
// about what it can't open, and about nothing else.
func TestTimesByAnother(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o644))
	must(t, os.Mkdir(filepath.Join(dir, "d"), 0o755))
	must(t, os.Symlink("f", filepath.Join(dir, "link")))
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	var asked []string
	fs := host(t, dir, vfs.HostOptions{Setter: refuser{&asked}})
	for name, want := range map[string]error{
		"f": nil, "d": nil, ".": nil, "link": errno.DQUOT, "fifo": errno.DQUOT, "none": errno.NOENT, "d/../link": errno.INVAL,
	} {
		is(t, name, fs.SetTimes(name, vfs.Times{Mtim: 2e9, SetMtim: true}), want)
	}
	if slices.Sort(asked); !slices.Equal(asked, []string{"fifo", "link"}) {
		t.Errorf("asked about %q, want fifo and link", asked)
	}
}
