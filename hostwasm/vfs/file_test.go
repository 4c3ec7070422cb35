package vfs_test

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

func open(t testing.TB, fs vfs.FS, name string, how vfs.How) vfs.File {
	t.Helper()
	f, err := fs.Open(name, how)
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// content reads a file by a descriptor of its own.
func content(t testing.TB, fs vfs.FS, name string) string {
	t.Helper()
	f := open(t, fs, name, vfs.How{Read: true})
	buf := make([]byte, 64)
	n, err := f.ReadAt(buf, 0)
	must(t, err)
	return string(buf[:n])
}

func TestFiles(t *testing.T) {
	for kind, fs := range filesystems(t) {
		t.Run(kind, func(t *testing.T) {
			f := open(t, fs, "f", vfs.How{Read: true, Write: true, Create: true})
			for _, step := range []struct {
				do   func() (int, error)
				n    int
				want error
				then string
			}{
				{func() (int, error) { return f.WriteAt([]byte("hello"), 0) }, 5, nil, "hello"},
				{func() (int, error) { return f.WriteAt([]byte("!"), 7) }, 1, nil, "hello\x00\x00!"},
				{func() (int, error) { return f.WriteAt(nil, 100) }, 0, nil, "hello\x00\x00!"},
				{func() (int, error) { return f.WriteAt([]byte("x"), -1) }, 0, errno.INVAL, "hello\x00\x00!"},
				{func() (int, error) { return f.WriteAt([]byte("xy"), math.MaxInt64) }, 0, errno.FBIG, "hello\x00\x00!"},
				{func() (int, error) { return 0, f.Truncate(3) }, 0, nil, "hel"},
				{func() (int, error) { return 0, f.Truncate(5) }, 0, nil, "hel\x00\x00"},
				{func() (int, error) { return 0, f.Truncate(-1) }, 0, errno.INVAL, "hel\x00\x00"},
				{func() (int, error) { return 0, f.Allocate(2, 4) }, 0, nil, "hel\x00\x00\x00"},
				{func() (int, error) { return 0, f.Allocate(0, 4) }, 0, nil, "hel\x00\x00\x00"},
				{func() (int, error) { return 0, f.Allocate(0, 0) }, 0, errno.INVAL, "hel\x00\x00\x00"},
				{func() (int, error) { return 0, f.Allocate(-1, 4) }, 0, errno.INVAL, "hel\x00\x00\x00"},
				{func() (int, error) { return 0, f.Allocate(math.MaxInt64, 1) }, 0, errno.FBIG, "hel\x00\x00\x00"},
				{func() (int, error) { return f.ReadAt(make([]byte, 2), 5) }, 1, nil, "hel\x00\x00\x00"},
				{func() (int, error) { return f.ReadAt(make([]byte, 2), 6) }, 0, nil, "hel\x00\x00\x00"},
				{func() (int, error) { return f.ReadAt(make([]byte, 2), math.MaxInt64) }, 0, nil, "hel\x00\x00\x00"},
				{func() (int, error) { return f.ReadAt(make([]byte, 2), -1) }, 0, errno.INVAL, "hel\x00\x00\x00"},
				{func() (int, error) { return 0, f.Sync(false) }, 0, nil, "hel\x00\x00\x00"},
				{func() (int, error) { return 0, f.Sync(true) }, 0, nil, "hel\x00\x00\x00"},
				{func() (int, error) { _, err := f.ReadDir(0, 1); return 0, err }, 0, errno.NOTDIR, "hel\x00\x00\x00"},
			} {
				n, err := step.do()
				if got := content(t, fs, "f"); n != step.n || err != step.want || got != step.then {
					t.Errorf("got %d, %v and %q, want %d, %v and %q", n, err, got, step.n, step.want, step.then)
				}
			}
			must(t, f.Close())
			is(t, "close again", f.Close(), errno.BADF)
			_, err := f.ReadAt(make([]byte, 1), 0)
			is(t, "read when closed", err, errno.BADF)
			_, err = f.WriteAt(make([]byte, 1), 0)
			is(t, "write when closed", err, errno.BADF)
			is(t, "truncate when closed", f.Truncate(0), errno.BADF)
		})
	}
}

// What a file was not opened for, it does not do.
func TestFileRights(t *testing.T) {
	for kind, fs := range filesystems(t) {
		w := open(t, fs, "f", vfs.How{Write: true, Create: true})
		r := open(t, fs, "f", vfs.How{Read: true})
		none := open(t, fs, "f", vfs.How{Truncate: true})
		_, err := w.ReadAt(make([]byte, 1), 0)
		is(t, kind+": read", err, errno.BADF)
		for _, f := range []vfs.File{r, none} {
			_, err = f.WriteAt([]byte("x"), 0)
			is(t, kind+": write", err, errno.BADF)
			is(t, kind+": truncate", f.Truncate(0), errno.BADF)
			is(t, kind+": allocate", f.Allocate(0, 1), errno.BADF)
			is(t, kind+": times", f.SetTimes(vfs.Times{}), nil)
		}
		must(t, fs.Mkdir("d", 0))
		d := open(t, fs, "d", vfs.How{Directory: true})
		_, err = d.ReadAt(make([]byte, 1), 0)
		is(t, kind+": read a directory", err, errno.ISDIR)
		_, err = d.WriteAt([]byte("x"), 0)
		is(t, kind+": write a directory", err, errno.BADF)
		is(t, kind+": truncate a directory", d.Truncate(0), errno.BADF)
		is(t, kind+": allocate a directory", d.Allocate(0, 1), errno.BADF)
		is(t, kind+": sync a directory", d.Sync(false), nil)
	}
}

func TestFileAppend(t *testing.T) {
	for kind, fs := range filesystems(t) {
		a := open(t, fs, "f", vfs.How{Write: true, Create: true, Append: true})
		b := open(t, fs, "f", vfs.How{Write: true, Append: true})
		for i, f := range []vfs.File{a, b, a, b} {
			if n, err := f.WriteAt([]byte(fmt.Sprint(i)), 0); n != 1 || err != nil {
				t.Errorf("%s: append: got %d, %v", kind, n, err)
			}
		}
		if got := content(t, fs, "f"); got != "0123" {
			t.Errorf("%s: got %q, want 0123", kind, got)
		}
	}
}

func TestFileTimes(t *testing.T) {
	for kind, fs := range filesystems(t) {
		must(t, fs.Mkdir("d", 0))
		must(t, fs.Symlink("nowhere", "l"))
		f := open(t, fs, "f", vfs.How{Write: true, Create: true})
		d := open(t, fs, "d", vfs.How{Directory: true})
		const second = 1e9
		for _, test := range []struct {
			name string
			set  func(vfs.Times) error
		}{
			{"f", func(t vfs.Times) error { return fs.SetTimes("f", t) }},
			{"f", f.SetTimes},
			{"d", func(t vfs.Times) error { return fs.SetTimes("d", t) }},
			{"d", d.SetTimes},
			{"l", func(t vfs.Times) error { return fs.SetTimes("l", t) }},
			{".", func(t vfs.Times) error { return fs.SetTimes(".", t) }},
		} {
			must(t, test.set(vfs.Times{Atim: 3*second + 1000, Mtim: 4*second + 2000, SetAtim: true, SetMtim: true}))
			must(t, test.set(vfs.Times{Atim: 7, Mtim: -5 * second, SetMtim: true}))
			must(t, test.set(vfs.Times{}))
			s, err := fs.Lstat(test.name)
			if err != nil || s.Atim != 3*second+1000 || s.Mtim != -5*second {
				t.Errorf("%s: times of %s: got %d and %d, %v", kind, test.name, s.Atim, s.Mtim, err)
			}
		}
		is(t, kind, fs.SetTimes("none", vfs.Times{}), errno.NOENT)
	}
}

// A file without a name lives on until it is closed.
func TestFileUnlinked(t *testing.T) {
	for kind, fs := range filesystems(t) {
		f := open(t, fs, "f", vfs.How{Read: true, Write: true, Create: true})
		must(t, fs.Link("f", "g"))
		if a, b := stat(t, fs, "f"), stat(t, fs, "g"); a != b || a.Nlink != 2 {
			t.Errorf("%s: got %v and %v, want one file with two names", kind, a, b)
		}
		must(t, fs.Rename("f", "g")) // does nothing: they are the same
		must(t, fs.Unlink("f"))
		must(t, fs.Unlink("g"))
		_, err := f.WriteAt([]byte("still there"), 0)
		must(t, err)
		buf := make([]byte, 64)
		n, err := f.ReadAt(buf, 6)
		if string(buf[:n]) != "there" || err != nil {
			t.Errorf("%s: got %q, %v", kind, buf[:n], err)
		}
		if s, err := f.Stat(); s.Nlink != 0 || err != nil {
			t.Errorf("%s: got %v, %v, want no names", kind, s, err)
		}
	}
}

func stat(t testing.TB, fs vfs.FS, name string) vfs.Stat {
	t.Helper()
	s, err := fs.Lstat(name)
	must(t, err)
	return s
}

// Numbers are the same as long as a file is, and different otherwise.
func TestFileNumbers(t *testing.T) {
	for kind, fs := range filesystems(t) {
		open(t, fs, "a", vfs.How{Write: true, Create: true})
		open(t, fs, "b", vfs.How{Write: true, Create: true})
		must(t, fs.Mkdir("d", 0))
		a, b, d := stat(t, fs, "a").Ino, stat(t, fs, "b").Ino, stat(t, fs, "d").Ino
		must(t, fs.Rename("a", "d/c"))
		if c := stat(t, fs, "d/c").Ino; a == b || b == d || c != a {
			t.Errorf("%s: got %x, %x, %x and %x after a rename", kind, a, b, d, c)
		}
	}
}

// A read-only file system has each error that a file system for writing has,
// and EROFS where that would do something.
func TestReadOnly(t *testing.T) {
	for kind, fs := range filesystems(t) {
		open(t, fs, "f", vfs.How{Write: true, Create: true}).WriteAt([]byte("kept"), 0)
		must(t, fs.Mkdir("d", 0))
		must(t, fs.Symlink("f", "l"))
		before := [3]vfs.Stat{stat(t, fs, "f"), stat(t, fs, "d"), stat(t, fs, "l")}
		ro := vfs.ReadOnly(fs)
		create := func(name string, how vfs.How) error { _, err := ro.Open(name, how); return err }
		for i, test := range []struct{ got, want error }{
			{ro.Mkdir("new", 0), errno.ROFS},
			{ro.Mkdir("d", 0), errno.EXIST},
			{ro.Mkdir("none/new", 0), errno.NOENT},
			{ro.Mkdir("f/new", 0), errno.NOTDIR},
			{ro.Mkdir("l/new", 0), errno.LOOP},
			{ro.Symlink("x", "new"), errno.ROFS},
			{ro.Symlink("x", "f"), errno.EXIST},
			{ro.Link("f", "new"), errno.ROFS},
			{ro.Link("none", "new"), errno.NOENT},
			{ro.Link("f", "d"), errno.EXIST},
			{ro.Unlink("f"), errno.ROFS},
			{ro.Unlink("none"), errno.NOENT},
			{ro.Rmdir("d"), errno.ROFS},
			{ro.Rename("f", "new"), errno.ROFS},
			{ro.Rename("none", "new"), errno.NOENT},
			{ro.SetTimes("f", vfs.Times{}), errno.ROFS},
			{create("new", vfs.How{Write: true, Create: true}), errno.ROFS},
			{create("none/new", vfs.How{Write: true, Create: true}), errno.NOENT},
			{create("f", vfs.How{Write: true, Create: true}), errno.ROFS},
			{create("f", vfs.How{Read: true, Create: true, Exclusive: true}), errno.EXIST},
			{create("f", vfs.How{Read: true, Create: true}), nil},
			{create("f", vfs.How{Read: true, Truncate: true}), errno.ROFS},
			{create("f", vfs.How{Write: true}), errno.ROFS},
			{create("f", vfs.How{Append: true, Write: true}), errno.ROFS},
			{create("d", vfs.How{Write: true}), errno.ISDIR},
			{create("none", vfs.How{Write: true}), errno.NOENT},
			{create("l", vfs.How{Write: true}), errno.LOOP},
		} {
			is(t, fmt.Sprint(kind, " ", i), test.got, test.want)
		}
		for _, name := range []string{"f", "d"} {
			f := open(t, ro, name, vfs.How{Read: true, Append: true})
			is(t, kind+": times", f.SetTimes(vfs.Times{Mtim: 1, SetMtim: true}), errno.ROFS)
			is(t, kind+": truncate", f.Truncate(0), errno.BADF)
			is(t, kind+": allocate", f.Allocate(0, 9), errno.BADF)
			_, err := f.WriteAt([]byte("x"), 0)
			is(t, kind+": write", err, errno.BADF)
		}
		if after := [3]vfs.Stat{stat(t, fs, "f"), stat(t, fs, "d"), stat(t, fs, "l")}; after != before {
			t.Errorf("%s: got %v, want %v as before", kind, after, before)
		}
	}
}

// Files are used and closed at the same time, as processes that share them do.
func TestFilesAreConcurrent(t *testing.T) {
	for kind, fs := range filesystems(t) {
		tree := newTree(t, map[string]vfs.FS{"/": fs})
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				name := fmt.Sprint("f", i%2)
				for range 50 {
					f, _, err := tree.Open(abs(name), vfs.How{Read: true, Write: true, Create: true, Append: i == 0})
					if err != nil {
						t.Errorf("%s: open: %v", kind, err)
						return
					}
					var users sync.WaitGroup
					users.Go(func() { f.WriteAt([]byte(strings.Repeat("x", 100)), int64(i)) })
					users.Go(func() { f.ReadAt(make([]byte, 100), 0) })
					users.Go(func() { f.Truncate(50) })
					users.Go(func() { f.Close() })
					tree.Rename(abs(name), abs("g"))
					tree.Unlink(abs("g"))
					users.Wait()
				}
			})
		}
		all.Wait()
	}
}
