package vfs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// TestNames has names that a guest may come up with.
func TestNames(t *testing.T) {
	tree := newTree(t, map[string]vfs.FS{"/": memory(), "/m": memory()})
	must(t, tree.Mkdir(abs("/dir"), 0))
	write(t, tree, "/dir/file", "")
	long := strings.Repeat("x", 255)
	must(t, tree.Mkdir(abs(long), 0))
	for _, test := range []struct {
		name string
		want error
	}{
		{"", errno.NOENT},
		{"dir/file\x00", errno.INVAL},
		{"dir/\xff", errno.ILSEQ},
		{"dir/\xed\xa0\x80", errno.ILSEQ}, // half of a surrogate pair
		{strings.Repeat("x", 1<<20), errno.NAMETOOLONG},
		{long, nil},
		{long + "x", errno.NAMETOOLONG},
		{"dir/../" + long + "x", errno.NAMETOOLONG},
		{strings.Repeat("./", 2045) + "dir", nil},
		{strings.Repeat("dir/../", 584) + "dir", nil},
		{strings.Repeat("/", 4093) + "dir", nil},
		{strings.Repeat("/", 4094) + "dir", errno.NAMETOOLONG},
		{"//", nil},
		{".", nil},
		{"..", nil}, // of the root is the root
		{"../../../dir", nil},
		{"/../dir/../m/..", nil},
		{"dir//", nil},
		{"dir/.", nil},
		{"dir/file", nil},
		{"dir/file/", errno.NOTDIR},
		{"dir/file/.", errno.NOTDIR},
		{"dir/file/..", errno.NOTDIR},
		{"none/..", errno.NOENT},
		{"none/", errno.NOENT},
		{"...", errno.NOENT},
		{"dir\\file", errno.NOENT},
	} {
		_, err := tree.Stat(abs(test.name))
		if err != test.want {
			t.Errorf("%.50q: got %v, want %v", test.name, err, test.want)
		}
	}
	_, err := tree.Stat(vfs.Path{Dir: "relative", Name: "dir"})
	is(t, "relative Dir", err, errno.INVAL)
	for target, want := range map[string]error{
		"": errno.NOENT, "\xff": errno.ILSEQ, strings.Repeat("x", 4097): errno.NAMETOOLONG, strings.Repeat("x", 4096): nil, "/": nil,
	} {
		is(t, fmt.Sprintf("link to %.50q", target), tree.Symlink(target, abs(fmt.Sprint("link", len(target), "-", want))), want)
	}
}

func TestLinks(t *testing.T) {
	for kind, fs := range filesystems(t) {
		tree := newTree(t, map[string]vfs.FS{"/w": fs, "/other": memory()})
		write(t, tree, "/w/file", "in the file")
		write(t, tree, "/other/file", "in the other file")
		must(t, tree.Mkdir(abs("/w/dir"), 0))
		links := map[string]string{
			"to-file": "file", "to-dir": "dir", "absolute": "/w/file", "mount": "../other", "root": "/", "self": "self",
			"one": "two", "two": "one", "dangling": "new", "slash": "dir/", "file-slash": "file/", "dir/up": "../file",
			"chain0": "file", "long0": strings.Repeat("./", 2040) + "file", "mountfile": "/other/file",
		}
		for i := range 41 {
			links[fmt.Sprint("chain", i+1)] = fmt.Sprint("chain", i)
		}
		for name, target := range links {
			must(t, tree.Symlink(target, abs("/w/"+name)))
			got, err := tree.Readlink(abs("/w/" + name))
			if err != nil || got != target {
				t.Errorf("%s: readlink %s: got %.50q, %v, want %.50q", kind, name, got, err, target)
			}
		}
		for _, test := range []struct {
			name string
			want any
		}{
			{"to-file", "in the file"},
			{"to-file/", errno.NOTDIR},
			{"to-dir/up", "in the file"},
			{"to-dir/../file", "in the file"},
			{"dir/up/../file", errno.NOTDIR},
			{"absolute", "in the file"},
			{"mount/file", "in the other file"},
			{"mount/../w/file", "in the file"},
			{"mountfile", "in the other file"},
			{"root/../w/file", "in the file"},
			{"self", errno.LOOP},
			{"self/file", errno.LOOP},
			{"one", errno.LOOP},
			{"dangling", errno.NOENT},
			{"dangling/x", errno.NOENT},
			{"file-slash", errno.NOTDIR},
			{"chain39", "in the file"},
			{"chain40", errno.LOOP},
			{"long0", "in the file"},
		} {
			got, err := read(tree, vfs.Path{Dir: "/w", Name: test.name, Follow: true})
			if err != nil && err != test.want || err == nil && got != test.want {
				t.Errorf("%s: read %s: got %q, %v, want %v", kind, test.name, got, err, test.want)
			}
			if !strings.Contains(test.name, "/") {
				p := vfs.Path{Dir: "/w", Name: test.name}
				s, err := tree.Stat(p)
				if err != nil || s.Type != vfs.SymbolicLink {
					t.Errorf("%s: lstat %s: got %v, %v", kind, test.name, s, err)
				}
				_, err = read(tree, p)
				is(t, kind+": nofollow "+test.name, err, errno.LOOP)
			}
		}
		// Where a link leads is what the path of an open directory says.
		f, at, err := tree.Open(abs("/w/root/w/slash/../to-dir"), vfs.How{Directory: true})
		if err != nil || at != "/w/dir" {
			t.Errorf("%s: got %q, %v, want /w/dir", kind, at, err)
		} else {
			f.Close()
		}
		p := vfs.Path{Dir: "/w", Name: "dangling", Follow: true}
		_, _, err = tree.Open(p, vfs.How{Write: true, Create: true, Exclusive: true})
		is(t, "create exclusively through a link", err, errno.EXIST)
		f, at, err = tree.Open(p, vfs.How{Write: true, Create: true})
		if err != nil || at != "/w/new" {
			t.Errorf("%s: create through a link: got %q, %v, want /w/new", kind, at, err)
		} else {
			f.Close()
		}
	}
}

// Whatever a name costs to resolve, it is bounded.
func TestLinksTakeBoundedTime(t *testing.T) {
	tree := newTree(t, map[string]vfs.FS{"/": memory()})
	must(t, tree.Mkdir(abs("/a"), 0))
	for i := range 40 {
		must(t, tree.Symlink(strings.Repeat("a/../", 800)+fmt.Sprint("l", i+1), abs(fmt.Sprint("/l", i))))
	}
	_, err := tree.Stat(abs("/l0"))
	is(t, "32,000 components through links", err, errno.LOOP)
	must(t, tree.Symlink(strings.Repeat("a/../", 800), abs("/double")))
	_, err = tree.Stat(abs("/double/" + strings.Repeat("a/../", 800)))
	is(t, "a link's target and what comes after it", err, errno.NAMETOOLONG)
}

// TestBeneath confines a guest to a directory of its tree.
func TestBeneath(t *testing.T) {
	for kind, fs := range filesystems(t) {
		tree := newTree(t, map[string]vfs.FS{"/w": fs})
		for _, dir := range []string{"/w/own", "/w/own/sub", "/w/other"} {
			must(t, tree.Mkdir(abs(dir), 0))
		}
		write(t, tree, "/w/other/file", "theirs")
		write(t, tree, "/w/own/file", "ours")
		links := map[string]string{
			"up": "..", "out": "../other/file", "absolute": "/w/own/file", "round": "../own/file", "root": "/",
			"fine": "sub/../file", "chain": "sub/up/../file", "sub/up": "..", "deep": "sub/up/up/other/file", "swapped": "sub",
		}
		for name, target := range links {
			must(t, tree.Symlink(target, abs("/w/own/"+name)))
		}
		for _, test := range []struct {
			dir, name string
			want      error
		}{
			{"/w/own", "file", nil},
			{"/w/own", "./sub/..//file", nil},
			{"/w/own", "fine", nil},
			{"/w/own", "sub/up/file", nil},
			{"/w/own", "chain", errno.PERM},
			{"/w/own", "..", errno.PERM},
			{"/w/own", "../own/file", errno.PERM},
			{"/w/own", "sub/../../own/file", errno.PERM},
			{"/w/own", "/w/own/file", errno.PERM},
			{"/w/own", "out", errno.PERM},
			{"/w/own", "absolute", errno.PERM},
			{"/w/own", "round", errno.PERM},
			{"/w/own", "up/own/file", errno.PERM},
			{"/w/own", "root", errno.PERM},
			{"/w/own", "deep", errno.PERM},
			{"/w/own/sub", "up/file", errno.PERM},
			{"/w/own/swapped", "file", errno.LOOP}, // a directory that became a link
			{"/", "w/own/file", nil},
			{"/", "w/../../w/own/file", errno.PERM},
			{"/", "../w/own/file", errno.PERM},
			{"", "file", errno.INVAL},
			{"", "/w/own/file", errno.INVAL},
		} {
			got, err := read(tree, vfs.Path{Dir: test.dir, Name: test.name, Follow: true, Beneath: true})
			if err != test.want || err == nil && got != "ours" {
				t.Errorf("%s: %s beneath %s: got %q, %v, want %v", kind, test.name, test.dir, got, err, test.want)
			}
		}
		p := vfs.Path{Dir: "/w/own", Name: "new", Beneath: true}
		is(t, "absolute link", tree.Symlink("/w/own/file", p), errno.PERM)
		is(t, "relative link", tree.Symlink("../x", p), nil)
	}
}
