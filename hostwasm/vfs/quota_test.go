package vfs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// used fails the test unless that is what the quota counts.
func used(t *testing.T, q *vfs.Quota, what string, bytes, files int64) {
	t.Helper()
	if b, f := q.Used(); b != bytes || f != files {
		t.Errorf("%s: %d bytes and %d names are used, want %d and %d", what, b, f, bytes, files)
	}
}

func TestQuotaOfHost(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "old"), make([]byte, 1000), 0o666))
	q := vfs.NewQuota(100, 4)
	fs := host(t, dir, vfs.HostOptions{Quota: q})
	f := open(t, fs, "f", vfs.How{Write: true, Create: true})
	used(t, q, "created", 0, 1)

	n, err := f.WriteAt(make([]byte, 60), 0)
	is(t, fmt.Sprint("write: ", n), err, nil)
	f.WriteAt(make([]byte, 60), 0)
	used(t, q, "written twice", 60, 1)
	n, err = f.WriteAt(make([]byte, 60), 50)
	is(t, fmt.Sprint("write too much: ", n), err, errno.DQUOT)
	if n != 50 {
		t.Errorf("got %d bytes written, want those 50 that were left", n)
	}
	used(t, q, "full", 100, 1)
	n, err = f.WriteAt([]byte("x"), 1<<40)
	is(t, fmt.Sprint("write behind a hole: ", n), err, errno.DQUOT)
	is(t, "truncate to more", f.Truncate(101), errno.DQUOT)
	is(t, "allocate more", f.Allocate(0, 101), errno.DQUOT)
	is(t, "allocate what is there", f.Allocate(0, 100), nil)
	is(t, "truncate", f.Truncate(10), nil)
	used(t, q, "truncated", 10, 1)

	// Growth counts, not size: what was there before may be given up.
	old := open(t, fs, "old", vfs.How{Write: true, Append: true})
	_, err = old.WriteAt(make([]byte, 10), 0)
	is(t, "append", err, nil)
	used(t, q, "appended", 20, 1)
	is(t, "truncate", old.Truncate(500), nil)
	used(t, q, "less than at first", -490, 1)
	is(t, "truncate", old.Truncate(1000), nil)
	used(t, q, "as at first", 10, 1)
	open(t, fs, "f", vfs.How{Write: true, Create: true, Truncate: true})
	used(t, q, "truncated while opened", 0, 1)

	must(t, fs.Mkdir("d", 0))
	must(t, fs.Symlink("x", "l"))
	must(t, fs.Link("f", "g"))
	used(t, q, "no names left", 0, 4)
	is(t, "mkdir", fs.Mkdir("e", 0), errno.DQUOT)
	is(t, "mkdir what exists", fs.Mkdir("d", 0), errno.EXIST)
	is(t, "symlink", fs.Symlink("x", "e"), errno.DQUOT)
	is(t, "link", fs.Link("f", "e"), errno.DQUOT)
	_, err = fs.Open("e", vfs.How{Write: true, Create: true})
	is(t, "create", err, errno.DQUOT)
	_, err = fs.Open("f", vfs.How{Write: true, Create: true, Exclusive: true})
	is(t, "create what exists", err, errno.EXIST)
	is(t, "rename", fs.Rename("l", "m"), nil)
	used(t, q, "renamed", 0, 4)
	is(t, "rename over", fs.Rename("m", "g"), nil)
	is(t, "rmdir", fs.Rmdir("d"), nil)
	used(t, q, "removed", 0, 2)
}

// Bytes of an open file are given back when it is closed, not before: else
// files without names could hold any amount.
func TestQuotaOfOpenFiles(t *testing.T) {
	q := vfs.NewQuota(8<<12, 10)
	quotaOfOpenFiles(t, q, vfs.Memory(vfs.MemoryOptions{Quota: q}))
}

func TestQuotaOfOpenHostFiles(t *testing.T) {
	q := vfs.NewQuota(8<<12, 10)
	quotaOfOpenFiles(t, q, host(t, t.TempDir(), vfs.HostOptions{Quota: q}))
}

func quotaOfOpenFiles(t *testing.T, q *vfs.Quota, fs vfs.FS) {
	fill := func(name string) vfs.File {
		f := open(t, fs, name, vfs.How{Write: true, Create: true})
		_, err := f.WriteAt(make([]byte, 1<<12), 0)
		is(t, "write", err, nil)
		return f
	}
	first, second := fill("f"), open(t, fs, "f", vfs.How{Read: true})
	must(t, fs.Link("f", "g"))
	must(t, fs.Unlink("f"))
	used(t, q, "one name is left", 1<<12, 1)
	must(t, fill("h").Close())
	must(t, fs.Rename("h", "g"))
	used(t, q, "no name is left", 2<<12, 1)
	must(t, first.Close())
	used(t, q, "open once", 2<<12, 1)
	must(t, second.Close())
	used(t, q, "closed", 1<<12, 1)
	must(t, fs.Unlink("g"))
	used(t, q, "all removed", 0, 0)
}

// Open files are descriptors of the whole program, which has only so many.
func TestMaxOpen(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o666))
	tree := vfs.New(vfs.Config{MaxOpen: 2})
	must(t, tree.Mount("/", host(t, dir, vfs.HostOptions{Quota: tree.Quota()})))
	try := func(name string, want error) vfs.File {
		t.Helper()
		f, _, err := tree.Open(vfs.Path{Dir: "/", Name: name}, vfs.How{Read: true})
		is(t, "open "+name, err, want)
		return f
	}
	first := try("f", nil)
	second := try(".", nil)
	try("f", errno.NFILE)
	try(".", errno.NFILE)
	must(t, second.Close())
	is(t, "close again", second.Close(), errno.BADF)
	try("nothing", errno.NOENT)
	try("f", nil)
	try("f", errno.NFILE)
	must(t, first.Close())
	is(t, "close again", first.Close(), errno.BADF)
	try(".", nil)
	try("f", errno.NFILE)
}

func TestQuotaOfMemory(t *testing.T) {
	q := vfs.NewQuota(4<<12, 3)
	fs := vfs.Memory(vfs.MemoryOptions{Quota: q})
	f := open(t, fs, "f", vfs.How{Read: true, Write: true, Create: true})
	_, err := f.WriteAt([]byte("x"), 1<<40)
	is(t, "write behind a hole", err, nil)
	used(t, q, "a page", 1<<12, 1)
	is(t, "a hole at the end", f.Truncate(1<<62), nil)
	is(t, "allocate", f.Allocate(0, 1<<62), nil)
	used(t, q, "holes", 1<<12, 1)
	buf := []byte("xxx")
	n, err := f.ReadAt(buf, 1<<40-1)
	if string(buf) != "\x00x\x00" || n != 3 || err != nil {
		t.Errorf("got %q, %v", buf[:n], err)
	}
	n, err = f.WriteAt(make([]byte, 9<<12), 100)
	is(t, "write too much", err, errno.DQUOT)
	if want := 3<<12 - 100; n != want {
		t.Errorf("got %d bytes written, want %d", n, want)
	}
	is(t, "truncate", f.Truncate(100), nil)
	used(t, q, "truncated", 1<<12, 1)
	is(t, "grow again", f.Truncate(1<<12), nil)
	n, _ = f.ReadAt(make([]byte, 1<<13), 0)
	if n != 1<<12 {
		t.Errorf("got %d bytes, want a page", n)
	}
	is(t, "symlink", fs.Symlink(strings.Repeat("x", 4000), "l"), nil)
	used(t, q, "a target", 1<<12+4000, 2)
	is(t, "symlink over", fs.Symlink("x", "l"), errno.EXIST)
	is(t, "mkdir", fs.Mkdir("d", 0), nil)
	is(t, "mkdir", fs.Mkdir("e", 0), errno.DQUOT)
	is(t, "symlink", fs.Symlink("x", "e"), errno.DQUOT)
	used(t, q, "full", 1<<12+4000, 3)
	is(t, "unlink", fs.Unlink("l"), nil)
	is(t, "unlink", fs.Unlink("f"), nil)
	is(t, "rmdir", fs.Rmdir("d"), nil)
	must(t, f.Close())
	used(t, q, "removed", 0, 0)
}

// Memory is charged for what is there, and what is refused is ENOSPC and changes
// nothing.
func TestChargeOfMemory(t *testing.T) {
	left, all := int64(3<<12), int64(3<<12)
	fs := vfs.Memory(vfs.MemoryOptions{Charge: func(n int64) bool {
		if n > left {
			return false
		}
		left -= n
		return true
	}})
	f := open(t, fs, "f", vfs.How{Write: true, Create: true})
	n, err := f.WriteAt(make([]byte, 9<<12), 100)
	is(t, "write too much", err, errno.NOSPC)
	if want := 2<<12 - 100; n != want {
		t.Errorf("got %d bytes written, want %d", n, want)
	}
	is(t, "symlink", fs.Symlink(strings.Repeat("x", 3584), "l"), errno.NOSPC)
	for i := range 7 {
		must(t, fs.Mkdir(fmt.Sprint(i), 0))
	}
	is(t, "mkdir", fs.Mkdir("x", 0), errno.NOSPC)
	is(t, "symlink", fs.Symlink("x", "l"), errno.NOSPC)
	if left != 0 {
		t.Errorf("got %d bytes left, want none", left)
	}
	for i := range 7 {
		must(t, fs.Rmdir(fmt.Sprint(i)))
	}
	must(t, fs.Symlink("x", "l"))
	must(t, fs.Rename("l", "f"))
	must(t, fs.Unlink("f"))
	must(t, f.Close())
	if left != all {
		t.Errorf("got %d bytes left when all is removed, want %d", left, all)
	}
}

// All mounts share the account of their Tree, and one may have a part of it.
func TestQuotaIsShared(t *testing.T) {
	tree := vfs.New(vfs.Config{MaxBytes: 10 << 12, MaxFiles: 10})
	part := tree.Quota().Part(4<<12, 4)
	must(t, tree.Mount("/tmp", vfs.Memory(vfs.MemoryOptions{Quota: part})))
	must(t, tree.Mount("/w", host(t, t.TempDir(), vfs.HostOptions{Quota: tree.Quota()})))
	defer tree.Close()
	grow := func(name string) int {
		f, _, err := tree.Open(abs(name), vfs.How{Write: true, Create: true})
		must(t, err)
		defer f.Close()
		n, err := f.WriteAt(make([]byte, 100<<12), 0)
		is(t, "write "+name, err, errno.DQUOT)
		return n >> 12
	}
	if got := grow("/tmp/f"); got != 4 {
		t.Errorf("got %d pages in the part, want 4", got)
	}
	if got := grow("/w/f"); got != 6 {
		t.Errorf("got %d pages beside it, want 6", got)
	}
	used(t, tree.Quota(), "all", 10<<12, 2)
	must(t, tree.Unlink(abs("/w/f")))
	used(t, tree.Quota(), "without one", 4<<12, 1)
	used(t, part, "the part", 4<<12, 1)
	for i := range 3 {
		must(t, tree.Mkdir(abs(fmt.Sprint("/tmp/", i)), 0))
	}
	is(t, "mkdir in the part", tree.Mkdir(abs("/tmp/x"), 0), errno.DQUOT)
	for i := range 6 {
		must(t, tree.Mkdir(abs(fmt.Sprint("/w/", i)), 0))
	}
	is(t, "mkdir beside it", tree.Mkdir(abs("/w/x"), 0), errno.DQUOT)
	must(t, tree.Rmdir(abs("/tmp/0")))
	must(t, tree.Mkdir(abs("/w/x"), 0))
	is(t, "mkdir in the part of what is used up", tree.Mkdir(abs("/tmp/0"), 0), errno.DQUOT)
}

// A Quota that grows asks for what is missing, and what is given back it has.
func TestQuotaGrows(t *testing.T) {
	left := int64(100)
	more := func(n int64) int64 {
		if n > left {
			return 0
		}
		n = min(left, n+10)
		left -= n
		return n
	}
	q := vfs.Growing(more, func(int64) int64 { return 1 })
	fs := host(t, t.TempDir(), vfs.HostOptions{Quota: q})
	f := open(t, fs, "f", vfs.How{Write: true, Create: true})
	for _, test := range []struct {
		size, left int64
		err        error
	}{{20, 70, nil}, {30, 70, nil}, {5, 70, nil}, {31, 59, nil}, {101, 59, errno.DQUOT}, {100, 0, nil}, {0, 0, nil}, {100, 0, nil}} {
		is(t, fmt.Sprint("truncate to ", test.size), f.Truncate(test.size), test.err)
		if left != test.left {
			t.Errorf("%d bytes: got %d left to ask for, want %d", test.size, left, test.left)
		}
	}
}
