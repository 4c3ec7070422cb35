//go:build linux || darwin

package vfs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// makeDeep makes so many directories in one another, below dir, and a file of
// 1000 bytes in the last.
func makeDeep(t *testing.T, dir string, levels int) {
	t.Helper()
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	must(t, err)
	for range levels {
		must(t, unix.Mkdirat(at, "d", 0o777))
		next, err := unix.Openat(at, "d", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		unix.Close(at)
		must(t, err)
		at = next
	}
	defer unix.Close(at)
	f, err := unix.Openat(at, "f", unix.O_WRONLY|unix.O_CREAT, 0o666)
	must(t, err)
	defer unix.Close(f)
	must(t, unix.Ftruncate(f, 1000))
}

// fewFiles leaves this process room for so many more descriptors, besides those
// that are free between others.
func fewFiles(t *testing.T, room uint64) {
	t.Helper()
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old))
	limit := old
	limit.Cur = room
	used, err := os.ReadDir("/dev/fd")
	must(t, err)
	for _, fd := range used {
		n, err := strconv.ParseUint(fd.Name(), 10, 32)
		must(t, err)
		limit.Cur = max(limit.Cur, n+1+room)
	}
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	t.Cleanup(func() { syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old) })
}

// A tree that is far deeper than a path is long, and than a process may have
// files open, is measured and removed.
func TestDeepTree(t *testing.T) {
	const levels = 2500
	dir := filepath.Join(t.TempDir(), "tree")
	must(t, os.MkdirAll(filepath.Join(dir, "beside"), 0o777))
	must(t, os.WriteFile(filepath.Join(dir, "beside", "f"), []byte("12345"), 0o666))
	must(t, os.Symlink("/", filepath.Join(dir, "link")))
	makeDeep(t, dir, levels)
	fewFiles(t, 16)

	bytes, names, err := vfs.Measure(dir)
	must(t, err)
	if want := int64(levels+4) << 12; bytes != want || names != levels+4 {
		t.Errorf("got %d bytes and %d names, want %d and %d", bytes, names, want, levels+4)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := vfs.RemoveAll(ended, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("removed in vain: got %v, want %v", err, context.Canceled)
	}
	must(t, vfs.RemoveAll(t.Context(), dir))
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want nothing to be left", err)
	}
	must(t, vfs.RemoveAll(t.Context(), dir)) // there is none
}

// Nobody may list or change the directories in a tree: it is removed all the
// same, and to measure it fails, or counts everything where we are root.
func TestRemoveUnreadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	inner := filepath.Join(dir, "a", "b")
	must(t, os.MkdirAll(inner, 0o777))
	must(t, os.WriteFile(filepath.Join(inner, "f"), []byte("12345"), 0))
	must(t, os.Chmod(inner, 0))
	must(t, os.Chmod(filepath.Dir(inner), 0o500))
	if _, names, err := vfs.Measure(dir); err == nil && names != 3 {
		t.Errorf("got %d names and no error, want 3", names)
	}
	must(t, vfs.RemoveAll(t.Context(), dir))
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want nothing to be left", err)
	}
}

// What a move costs is bounded, however many names the tree has.
func TestRenameLooksAtBoundedlyMany(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		must(t, os.MkdirAll(filepath.Join(dir, strconv.Itoa(i), "below"), 0o700))
	}
	for names, want := range map[int]bool{1: false, 10: false, 100: true} {
		if got := vfs.DeeperThan(dir, len("0/bel"), names); got != want {
			t.Errorf("when it looks at %d names: got %v, want %v", names, got, want)
		}
	}
}

// A name that is longer than a path may be is refused, whatever it would lead to.
func TestNameLongerThanPaths(t *testing.T) {
	fs := host(t, t.TempDir(), vfs.HostOptions{})
	var bottom string
	for len(bottom) < 3900 {
		bottom += strings.Repeat("d", 200)
		must(t, fs.Mkdir(bottom, 0))
		bottom += "/"
	}
	must(t, fs.Mkdir("d", 0))
	name := bottom + strings.Repeat("d", 200) // the way to it is short enough
	is(t, "mkdir", fs.Mkdir(name, 0), errno.NAMETOOLONG)
	is(t, "symlink", fs.Symlink("x", name), errno.NAMETOOLONG)
	is(t, "rename", fs.Rename("d", name), errno.NAMETOOLONG)
	is(t, "unlink", fs.Unlink(name), errno.NAMETOOLONG)
	is(t, "times", fs.SetTimes(name, vfs.Times{}), errno.NAMETOOLONG)
	_, err := fs.Open(name, vfs.How{Write: true, Create: true})
	is(t, "open", err, errno.NAMETOOLONG)
}

// A guest does not get a tree deeper than paths are long by moving trees into
// trees.
func TestRenameDeeper(t *testing.T) {
	fs := host(t, t.TempDir(), vfs.HostOptions{})
	long := func(top string) string {
		must(t, fs.Mkdir(top, 0))
		for len(top) < 2000 {
			top += "/" + strings.Repeat("d", 200)
			must(t, fs.Mkdir(top, 0))
		}
		return top
	}
	bottom := long("first")
	long("second")
	is(t, "into it, with room", fs.Rename("second", bottom+"/x"), nil)
	is(t, "a level back", fs.Rename(bottom+"/x", "second"), nil)
	deeper := bottom + "/" + strings.Repeat("d", 200)
	must(t, fs.Mkdir(deeper, 0))
	is(t, "into it, without", fs.Rename("second", deeper+"/x"), errno.NAMETOOLONG)
	must(t, fs.Mkdir("empty", 0))
	is(t, "what is empty", fs.Rename("empty", deeper+"/x"), nil)
	open(t, fs, "file", vfs.How{Write: true, Create: true})
	is(t, "a file", fs.Rename("file", deeper+"/f"), nil)
}
