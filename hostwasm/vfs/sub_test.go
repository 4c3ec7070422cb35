package vfs_test

import (
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
		if err := whole.Mkdir(vfs.Path{Name: dir}); err != nil {
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
