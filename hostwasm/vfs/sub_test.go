package vfs_test

import (
	"slices"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// What is not below the directory can't be reached, whatever the names and
// links that are tried.
func TestSub(t *testing.T) {
	whole := vfs.New(vfs.Config{})
	if err := whole.Mount("/all", vfs.Memory(vfs.MemoryOptions{})); err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	for _, dir := range []string{"/all/in", "/all/in/deep"} {
		if err := whole.Mkdir(vfs.Path{Name: dir}, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"/all/secret", "/all/in/file"} {
		f, _, err := whole.Open(vfs.Path{Name: name}, vfs.How{Write: true, Create: true})
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	part := vfs.New(vfs.Config{})
	if err := part.Mount("/all/in", vfs.ReadOnly(vfs.Sub(whole, "/all/in"))); err != nil {
		t.Fatal(err)
	}
	writable := vfs.New(vfs.Config{})
	if err := writable.Mount("/all/in", vfs.Sub(whole, "/all/in")); err != nil {
		t.Fatal(err)
	}
	for target, name := range map[string]string{"../secret": "up", "/all/secret": "absolute", "../../all": "dir"} {
		if err := writable.Symlink(target, vfs.Path{Name: "/all/in/" + name}); err != nil {
			t.Errorf("symlink to %s: %v", target, err)
		}
	}
	for _, tree := range []*vfs.Tree{part, writable} {
		for name, want := range map[string]error{
			"/all/in/file": nil, "/all/in/deep/../file": nil, "/all/in/deep/../../in/file": nil,
			"/all/secret": errno.NOENT, "/all/in/../secret": errno.NOENT,
			"/all/in/up": errno.NOENT, "/all/in/absolute": errno.NOENT, "/all/in/dir/secret": errno.NOENT,
		} {
			f, _, err := tree.Open(vfs.Path{Name: name, Follow: true}, vfs.How{Read: true})
			if err == nil {
				f.Close()
			}
			if err != want {
				t.Errorf("open %s: got %v, want %v", name, err, want)
			}
		}
	}
	how := vfs.How{Write: true, Create: true}
	if _, _, err := part.Open(vfs.Path{Name: "/all/in/new"}, how); err != errno.ROFS {
		t.Errorf("create in a read-only part: got %v, want %v", err, errno.ROFS)
	}
	f, _, err := writable.Open(vfs.Path{Name: "/all/in/new"}, how)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := whole.Stat(vfs.Path{Name: "/all/in/new"}); err != nil {
		t.Errorf("what a part has made: got %v", err)
	}
}

// Directories of a tree within trees list each of their mount points once,
// from any cookie on, beside those of the trees around it; and no two of their
// files have the same number.
func TestSubOfMounts(t *testing.T) {
	inner := newTree(t, map[string]vfs.FS{"/all": memory(), "/all/a": memory(), "/all/b": memory(), "/all/sub/c": memory()})
	for _, name := range []string{"/all/file", "/all/a/file", "/all/b/file", "/all/sub/c/file"} {
		f, _, err := inner.Open(vfs.Path{Name: name}, vfs.How{Write: true, Create: true})
		must(t, err)
		must(t, f.Close())
	}
	middle := newTree(t, map[string]vfs.FS{"/all": vfs.Sub(inner, "/all"), "/all/d": memory(), "/all/a": memory()})
	outer := newTree(t, map[string]vfs.FS{"/": vfs.Sub(middle, "/all"), "/e": memory(), "/f/g": memory()})

	f, _, err := outer.Open(abs("/"), vfs.How{Directory: true})
	must(t, err)
	defer f.Close()
	entries := readDir(t, f, 0, 1000)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	if want := []string{".", "..", "a", "b", "d", "e", "f", "file", "sub"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	for most := range 4 {
		if again := readDir(t, f, 0, most+1); !slices.Equal(again, entries) {
			t.Errorf("%d at a time: got %v, want %v", most+1, again, entries)
		}
	}
	for i, e := range entries {
		if rest := readDir(t, f, e.Next, 50); !slices.Equal(rest, entries[i+1:]) {
			t.Errorf("after %s: got %v, want %v", e.Name, rest, entries[i+1:])
		}
	}

	type identity struct{ dev, ino uint64 }
	seen := make(map[identity]string)
	for _, name := range []string{
		"/", "/a", "/b", "/b/file", "/d", "/e", "/f", "/f/g", "/file", "/sub", "/sub/c", "/sub/c/file",
	} {
		s, err := outer.Stat(abs(name))
		must(t, err)
		id := identity{s.Dev, s.Ino}
		if seen[id] != "" {
			t.Errorf("%s and %s: got the same number %v", seen[id], name, id)
		}
		seen[id] = name
		if s.Type == vfs.Directory {
			continue
		}
		f, _, err := outer.Open(abs(name), vfs.How{Read: true})
		must(t, err)
		if opened, err := f.Stat(); err != nil || opened.Ino != s.Ino || opened.Dev != s.Dev {
			t.Errorf("%s, opened: got %+v, %v, want %+v", name, opened, err, s)
		}
		must(t, f.Close())
	}
	for _, e := range entries {
		s, err := outer.Stat(abs("/" + e.Name))
		if e.Name == ".." || e.Ino == 0 {
			continue
		}
		if must(t, err); s.Ino != e.Ino {
			t.Errorf("%s: got number %d listed, %d by Stat", e.Name, e.Ino, s.Ino)
		}
	}
}
