package vfs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

var _ wasi.Files = (*vfs.Tree)(nil)

// newTree returns a Tree with what mounts says, and closes it at the end.
func newTree(t testing.TB, mounts map[string]vfs.FS) *vfs.Tree {
	t.Helper()
	tree := vfs.New(vfs.Config{})
	t.Cleanup(func() {
		if err := tree.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	for dir, fs := range mounts {
		if err := tree.Mount(dir, fs); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

func memory() vfs.FS { return vfs.Memory(vfs.MemoryOptions{}) }

// abs is a path from the root, with a link at its end followed.
func abs(name string) vfs.Path { return vfs.Path{Dir: "/", Name: name, Follow: true} }

// must fails the test unless err is nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// is fails the test unless an operation ended as it should: want is nil or an
// errno.
func is(t testing.TB, what string, got, want error) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func write(t testing.TB, tree *vfs.Tree, name, content string) {
	t.Helper()
	f, _, err := tree.Open(abs(name), vfs.How{Write: true, Create: true, Truncate: true})
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(content), 0); err != nil {
		t.Fatalf("write %s: %v", name, err)
	}
}

func read(tree *vfs.Tree, p vfs.Path) (string, error) {
	f, _, err := tree.Open(p, vfs.How{Read: true})
	if err != nil {
		return "", err
	}
	defer f.Close()
	buf := make([]byte, 1<<10)
	n, err := f.ReadAt(buf, 0)
	return string(buf[:n]), err
}

// list returns the names in a directory, read a few at a time, sorted.
func list(t testing.TB, tree *vfs.Tree, name string) string {
	t.Helper()
	f, _, err := tree.Open(abs(name), vfs.How{Directory: true})
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	defer f.Close()
	var names []string
	for cookie := uint64(0); ; {
		entries, err := f.ReadDir(cookie, 3)
		if err != nil {
			t.Fatalf("list %s: %v", name, err)
		}
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			names = append(names, e.Name)
			cookie = e.Next
		}
	}
	if len(names) < 2 || names[0] != "." || names[1] != ".." {
		t.Errorf("list %s: got %q, want . and .. first", name, names)
		return ""
	}
	slices.Sort(names[2:])
	return strings.Join(names[2:], " ")
}

// project is a Tree as a person would make it. The mount points below proj hide
// a directory, a link, and nothing.
func project(t *testing.T) *vfs.Tree {
	proj := memory()
	must(t, proj.Mkdir("git", 0))
	must(t, proj.Mkdir("git/hidden", 0))
	must(t, proj.Symlink("/tmp", "swap"))
	return newTree(t, map[string]vfs.FS{
		"/home/u/proj":              proj,
		"/home/u/proj/git":          vfs.ReadOnly(memory()),
		"/home/u/proj/swap/in/deep": memory(),
		"/home/u/proj/none":         memory(),
		"/tmp":                      memory(),
		"/dev":                      vfs.Devices(strings.NewReader(""), false),
		"/bin":                      vfs.Bin([]string{"cat", "ls"}, nil),
	})
}

func TestMountsList(t *testing.T) {
	tree := project(t)
	write(t, tree, "/home/u/proj/file", "")
	for dir, want := range map[string]string{
		"/":                         "bin dev home tmp",
		"/home":                     "u",
		"/home/u":                   "proj",
		"/home/u/proj":              "file git none swap",
		"/home/u/proj/git":          "",
		"/home/u/proj/swap":         "in",
		"/home/u/proj/swap/in":      "deep",
		"/home/u/proj/swap/in/deep": "",
		"/bin":                      "cat ls",
		"/dev":                      "full null random stderr stdin stdout tty urandom zero",
	} {
		if got := list(t, tree, dir); got != want {
			t.Errorf("list %s: got %q, want %q", dir, got, want)
		}
		s, err := tree.Stat(abs(dir))
		if err != nil || s.Type != vfs.Directory {
			t.Errorf("stat %s: got %v, %v, want a directory", dir, s.Type, err)
		}
		f, _, err := tree.Open(abs(dir), vfs.How{Directory: true})
		if err != nil {
			t.Errorf("open %s: %v", dir, err)
			continue
		}
		if open, err := f.Stat(); open != s || err != nil {
			t.Errorf("stat of the open %s: got %v, %v, want %v", dir, open, err, s)
		}
		entries, err := f.ReadDir(0, 100)
		if err != nil {
			t.Errorf("list %s: %v", dir, err)
		}
		for _, e := range entries {
			if e.Name == ".." {
				continue
			}
			s, err := tree.Stat(vfs.Path{Dir: dir, Name: e.Name})
			if err != nil || s.Ino != e.Ino || s.Type != e.Type {
				t.Errorf("%s/%s: got %v in the list and %v, %v from Stat", dir, e.Name, e, s, err)
			}
		}
		must(t, f.Close())
	}
}

// What leads to a mount stays what it is, whoever wants to change it.
func TestMountsArePinned(t *testing.T) {
	tree := project(t)
	write(t, tree, "/home/u/proj/file", "")
	must(t, tree.Mkdir(abs("/home/u/proj/dir"), 0))
	pinned := []string{
		"/", "/home", "/home/u", "/home/u/proj", "/home/u/proj/git", "/home/u/proj/none",
		"/home/u/proj/swap", "/home/u/proj/swap/in", "/home/u/proj/swap/in/deep",
	}
	for _, name := range pinned {
		is(t, "mkdir "+name, tree.Mkdir(abs(name), 0), errno.EXIST)
		is(t, "symlink "+name, tree.Symlink("x", abs(name)), errno.EXIST)
		is(t, "unlink "+name, tree.Unlink(abs(name)), errno.ISDIR)
		is(t, "rmdir "+name, tree.Rmdir(abs(name)), errno.BUSY)
		is(t, "rename "+name, tree.Rename(abs(name), abs("/home/u/proj/x")), errno.BUSY)
		is(t, "rename to "+name, tree.Rename(abs("/home/u/proj/dir"), abs(name)), errno.BUSY)
		is(t, "link "+name, tree.Link(abs(name), abs("/home/u/proj/x")), errno.PERM)
		is(t, "link to "+name, tree.Link(abs("/home/u/proj/file"), abs(name)), errno.EXIST)
		_, err := tree.Readlink(abs(name))
		is(t, "readlink "+name, err, errno.INVAL)
		_, _, err = tree.Open(abs(name), vfs.How{Write: true})
		is(t, "open to write "+name, err, errno.ISDIR)
		_, _, err = tree.Open(abs(name), vfs.How{Create: true, Exclusive: true})
		is(t, "create "+name, err, errno.EXIST)
	}
}

// The directories that only the Tree has are read-only.
func TestMountsParents(t *testing.T) {
	tree := project(t)
	write(t, tree, "/tmp/file", "")
	for _, dir := range []string{"/", "/home", "/home/u"} {
		x := abs(dir + "/x")
		is(t, "mkdir", tree.Mkdir(x, 0), errno.ROFS)
		is(t, "symlink", tree.Symlink("y", x), errno.ROFS)
		is(t, "unlink", tree.Unlink(x), errno.NOENT)
		is(t, "rmdir", tree.Rmdir(x), errno.NOENT)
		is(t, "rename", tree.Rename(x, abs(dir+"/y")), errno.NOENT)
		is(t, "rename to", tree.Rename(abs("/tmp/file"), x), errno.XDEV)
		is(t, "link", tree.Link(x, abs(dir+"/y")), errno.NOENT)
		is(t, "times", tree.SetTimes(x, vfs.Times{}), errno.NOENT)
		is(t, "times of the directory", tree.SetTimes(abs(dir), vfs.Times{}), errno.ROFS)
		_, err := tree.Stat(x)
		is(t, "stat", err, errno.NOENT)
		_, _, err = tree.Open(x, vfs.How{Read: true})
		is(t, "open", err, errno.NOENT)
		_, _, err = tree.Open(x, vfs.How{Write: true, Create: true})
		is(t, "create", err, errno.ROFS)
		_, _, err = tree.Open(abs(dir+"/x/y"), vfs.How{Write: true, Create: true})
		is(t, "create in what is missing", err, errno.NOENT)
	}
}

func TestAcrossMounts(t *testing.T) {
	tree := newTree(t, map[string]vfs.FS{"/a": memory(), "/b": memory(), "/ro": vfs.ReadOnly(memory())})
	write(t, tree, "/a/file", "x")
	for _, to := range []string{"/b/x", "/ro/x"} {
		is(t, "rename", tree.Rename(abs("/a/file"), abs(to)), errno.XDEV)
		is(t, "link", tree.Link(abs("/a/file"), abs(to)), errno.XDEV)
	}
	must(t, tree.Symlink("/a/file", abs("/b/link")))
	is(t, "link through a link", tree.Link(abs("/b/link"), abs("/b/x")), errno.XDEV)
	one, err := tree.Stat(abs("/a"))
	must(t, err)
	other, err := tree.Stat(abs("/b"))
	must(t, err)
	if one.Dev == other.Dev {
		t.Errorf("two mounts have device %d", one.Dev)
	}
}

func TestMountErrors(t *testing.T) {
	tree := newTree(t, map[string]vfs.FS{"/a": memory(), "/": memory()})
	for _, dir := range []string{"/a", "/", "", "a", "/a/", "/a/../b", "//b", "/b\x00", "/b\xff", "/" + strings.Repeat("x", 5000)} {
		if err := tree.Mount(dir, memory()); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("mount at %q: got %v, want an error of one line", dir, err)
		}
	}
	must(t, tree.Mount("/a/b", memory()))
	must(t, tree.Mkdir(abs("/x"), 0))
	if got := list(t, tree, "/"); got != "a x" {
		t.Errorf("got %q, want a x", got)
	}
}
