package vfs_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// An operation is one call. What comes of it is told as text, errors by their
// POSIX names.
type operation struct {
	call    string
	a, b    string
	follow  bool
	how     vfs.How
	content string
	mode    vfs.Mode
}

func (o operation) String() string {
	text := fmt.Sprintf("%s %q", o.call, o.a)
	switch o.call {
	case "mkdir", "chmod":
		text += fmt.Sprintf(" %o", o.mode)
	case "rename", "link", "symlink":
		text += fmt.Sprintf(" %q", o.b)
	case "open":
		text += fmt.Sprintf(" %q %o", o.content, o.mode)
		for name, set := range map[string]bool{
			"read": o.how.Read, "write": o.how.Write, "append": o.how.Append, "create": o.how.Create,
			"exclusive": o.how.Exclusive, "truncate": o.how.Truncate, "directory": o.how.Directory,
		} {
			if set {
				text += " " + name
			}
		}
	}
	if o.follow {
		text += " follow"
	}
	return text
}

// base is where names begin: deep enough that ".." stays inside the box.
const base = "/d/d/d/d/d/d/d/d/d/d"

// A treeSystem is a Tree.
type treeSystem struct{ tree *vfs.Tree }

func (s treeSystem) do(o operation) string {
	a := vfs.Path{Dir: base, Name: o.a, Follow: o.follow}
	b := vfs.Path{Dir: base, Name: o.b}
	switch o.call {
	case "stat":
		s, err := s.tree.Stat(a)
		return tell(s, err)
	case "open":
		f, _, err := s.tree.Open(a, o.how)
		if err != nil {
			return err.Error()
		}
		defer f.Close()
		st, _ := f.Stat()
		if st.Type == vfs.Directory {
			return "directory"
		}
		var err1, err2 error
		var n int
		buf := make([]byte, 64)
		if o.how.Write {
			_, err1 = f.WriteAt([]byte(o.content), 3)
		}
		if o.how.Read {
			n, err2 = f.ReadAt(buf, 1)
		}
		return fmt.Sprintf("%v %v %q", err1, err2, buf[:n])
	case "readlink":
		target, err := s.tree.Readlink(a)
		return result(target, err)
	case "mkdir":
		return result("", s.tree.Mkdir(a, o.mode))
	case "rmdir":
		return result("", s.tree.Rmdir(a))
	case "unlink":
		return result("", s.tree.Unlink(a))
	case "symlink":
		return result("", s.tree.Symlink(o.b, a))
	case "rename":
		return result("", s.tree.Rename(a, b))
	case "link":
		return result("", s.tree.Link(a, b))
	case "chmod":
		return result("", s.tree.SetMode(a, o.mode))
	case "times":
		return result("", s.tree.SetTimes(a, vfs.Times{Mtim: 5e9, SetMtim: true}))
	}
	panic(o.call)
}

func tell(s vfs.Stat, err error) string {
	if err != nil {
		return err.Error()
	}
	if s.Type == vfs.RegularFile {
		return fmt.Sprintf("file %o of %d bytes with %d names", s.Mode, s.Size, s.Nlink)
	}
	return fmt.Sprintf("type %d, %o", s.Type, s.Mode)
}

func result(s string, err error) string {
	if number, ok := err.(unix.Errno); ok {
		return unix.ErrnoName(number)
	}
	if err != nil {
		return err.Error()
	}
	return "ok " + s
}

// A kernel is the real thing: a directory that is open.
type kernel struct{ dir int }

func (k kernel) do(o operation) string {
	flags := unix.AT_SYMLINK_NOFOLLOW
	if o.follow {
		flags = 0
	}
	switch o.call {
	case "stat":
		var s unix.Stat_t
		err := unix.Fstatat(k.dir, o.a, &s, flags)
		switch {
		case err != nil:
			return result("", err)
		case s.Mode&unix.S_IFMT == unix.S_IFREG:
			return tell(vfs.Stat{Type: vfs.RegularFile, Mode: known(s.Mode), Size: uint64(s.Size), Nlink: uint64(s.Nlink)}, nil)
		case s.Mode&unix.S_IFMT == unix.S_IFDIR:
			return tell(vfs.Stat{Type: vfs.Directory, Mode: known(s.Mode)}, nil)
		}
		return tell(vfs.Stat{Type: vfs.SymbolicLink, Mode: known(s.Mode)}, nil)
	case "open":
		return k.open(o)
	case "readlink":
		buf := make([]byte, 4096)
		n, err := unix.Readlinkat(k.dir, o.a, buf)
		return result(string(buf[:max(n, 0)]), err)
	case "mkdir":
		return result("", unix.Mkdirat(k.dir, o.a, uint32(o.mode&vfs.ModePerm)))
	case "rmdir":
		return result("", unix.Unlinkat(k.dir, o.a, unix.AT_REMOVEDIR))
	case "unlink":
		return result("", unix.Unlinkat(k.dir, o.a, 0))
	case "symlink":
		return result("", unix.Symlinkat(o.b, k.dir, o.a))
	case "rename":
		return result("", unix.Renameat(k.dir, o.a, k.dir, o.b))
	case "link":
		return result("", unix.Linkat(k.dir, o.a, k.dir, o.b, unix.AT_SYMLINK_FOLLOW&^(flags<<2)))
	case "chmod":
		var s unix.Stat_t
		if !o.follow && unix.Fstatat(k.dir, o.a, &s, flags) == nil && s.Mode&unix.S_IFMT == unix.S_IFLNK {
			return errno.NOTSUP.Error() // as the kernel says since 6.6
		}
		return result("", unix.Fchmodat(k.dir, o.a, uint32(o.mode&vfs.ModePerm), 0))
	case "times":
		times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Sec: 5}}
		return result("", unix.UtimesNanoAt(k.dir, o.a, times, flags))
	}
	panic(o.call)
}

func known(mode uint32) vfs.Mode { return vfs.ModeKnown | vfs.Mode(mode&0o7777) }

func (k kernel) open(o operation) string {
	flags := unix.O_CLOEXEC | unix.O_NOFOLLOW
	if o.follow {
		flags &^= unix.O_NOFOLLOW
	}
	if o.how.Write {
		flags |= unix.O_WRONLY
		if o.how.Read {
			flags += unix.O_RDWR - unix.O_WRONLY
		}
	}
	for _, flag := range []struct {
		set  bool
		flag int
	}{
		{o.how.Create, unix.O_CREAT}, {o.how.Exclusive, unix.O_EXCL}, {o.how.Truncate, unix.O_TRUNC},
		{o.how.Directory, unix.O_DIRECTORY}, {o.how.Append, unix.O_APPEND},
	} {
		if flag.set {
			flags |= flag.flag
		}
	}
	fd, err := unix.Openat(k.dir, o.a, flags, uint32(o.mode&vfs.ModePerm))
	if err == unix.ENOTDIR && !o.follow {
		// Linux prefers O_DIRECTORY here; POSIX says ELOOP.
		var s unix.Stat_t
		if unix.Fstatat(k.dir, o.a, &s, unix.AT_SYMLINK_NOFOLLOW) == nil && s.Mode&unix.S_IFMT == unix.S_IFLNK {
			err = unix.ELOOP
		}
	}
	if err != nil {
		return result("", err)
	}
	defer unix.Close(fd)
	var s unix.Stat_t
	unix.Fstat(fd, &s)
	if s.Mode&unix.S_IFMT == unix.S_IFDIR {
		return "directory"
	}
	var err1, err2 error
	var n int
	buf := make([]byte, 64)
	if o.how.Write {
		_, err1 = unix.Pwrite(fd, []byte(o.content), 3)
	}
	if o.how.Read {
		n, err2 = unix.Pread(fd, buf, 1)
	}
	return fmt.Sprintf("%v %v %q", err1, err2, buf[:n])
}

// operations makes up some of few names, so that they meet.
func operations(r *rand.Rand, n int) []operation {
	calls := []string{"stat", "open", "open", "readlink", "mkdir", "mkdir", "rmdir", "unlink", "symlink", "symlink", "rename", "rename", "link", "times", "chmod", "chmod"}
	// With the usual umask these forbid us nothing, whoever we are.
	modes := []vfs.Mode{0o700, 0o711, 0o740, 0o744, 0o755}
	var all []operation
	for range n {
		o := operation{
			call:    calls[r.IntN(len(calls))],
			a:       name(r, 3),
			b:       name(r, 3),
			follow:  r.IntN(2) == 0,
			content: "abcdef"[:r.IntN(7)],
			mode:    vfs.ModeKnown | modes[r.IntN(len(modes))],
		}
		if o.call == "open" {
			o.how = vfs.How{
				Read: r.IntN(2) == 0, Write: r.IntN(2) == 0, Create: r.IntN(2) == 0,
				Exclusive: r.IntN(4) == 0, Truncate: r.IntN(6) == 0, Append: r.IntN(6) == 0,
			}
			o.how.Exclusive, o.how.Mode = o.how.Exclusive && o.how.Create, o.mode
			o.how.Directory = !o.how.Create && r.IntN(4) == 0
			o.how.Truncate = o.how.Truncate && o.how.Write
		}
		all = append(all, o)
	}
	return all
}

func name(r *rand.Rand, most int) string {
	components := []string{"a", "a", "b", "b", "c", ".", "..", "l", "l", "m"}
	var b strings.Builder
	for i := range 1 + r.IntN(most) {
		if i > 0 {
			b.WriteString("/////"[:1+r.IntN(5)/4])
		}
		b.WriteString(components[r.IntN(len(components))])
	}
	if r.IntN(6) == 0 {
		b.WriteString("/")
	}
	return b.String()
}

// TestLikeTheKernel does the same on the kernel's own files, on a host
// directory, in both ways to open one, and in memory, and wants to see the same.
func TestLikeTheKernel(t *testing.T) {
	defer unix.Umask(unix.Umask(0o022))
	sequences, each := 200, 60
	switch {
	case testing.Short():
		sequences = 20
	case os.Getenv("TERRARIUM_LONG") != "":
		sequences = 2000
	}
	for seed := range sequences {
		compare(t, operations(rand.New(rand.NewPCG(1, uint64(seed))), each))
		if t.Failed() {
			return
		}
	}
}

func compare(t *testing.T, all []operation) {
	temp := t.TempDir()
	for _, dir := range []string{"kernel", "host", "stepwise"} {
		must(t, os.MkdirAll(filepath.Join(temp, dir, base), 0o777))
	}
	dir, err := unix.Open(filepath.Join(temp, "kernel", base), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(dir)
	mem := memory()
	for i := range base {
		if base[i] == 'd' {
			must(t, mem.Mkdir(base[1:i+1], 0))
		}
	}
	quota := vfs.NewQuota(1<<40, 1<<40)
	systems := map[string]treeSystem{
		"host":     {newTree(t, map[string]vfs.FS{"/": host(t, filepath.Join(temp, "host"), vfs.HostOptions{Quota: quota})})},
		"stepwise": {newTree(t, map[string]vfs.FS{"/": vfs.Stepwise(host(t, filepath.Join(temp, "stepwise"), vfs.HostOptions{}))})},
		"memory":   {newTree(t, map[string]vfs.FS{"/": mem})},
	}
	var story strings.Builder
	for _, o := range all {
		want := kernel{dir}.do(o)
		fmt.Fprintf(&story, "%v: %s\n", o, want)
		for name, s := range systems {
			if got := s.do(o); got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
		if t.Failed() {
			t.Logf("after\n%s", &story)
			return
		}
	}
	checkQuota(t, quota, filepath.Join(temp, "host"))
}

// checkQuota compares what a quota counted with what is there, in a directory
// that began with base and no more.
func checkQuota(t *testing.T, q *vfs.Quota, dir string) {
	t.Helper()
	var bytes, files int64
	seen := map[uint64]bool{}
	must(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		var s unix.Stat_t
		if err == nil {
			err = unix.Lstat(path, &s)
		}
		files++
		if err == nil && s.Mode&unix.S_IFMT == unix.S_IFREG && !seen[s.Ino] {
			bytes += s.Size
			seen[s.Ino] = true
		}
		return err
	}))
	files -= 1 + int64(strings.Count(base, "/"))
	gotBytes, gotFiles := q.Used()
	if gotBytes != bytes || gotFiles != files {
		t.Errorf("the quota counted %d bytes and %d names, want %d and %d", gotBytes, gotFiles, bytes, files)
	}
}
