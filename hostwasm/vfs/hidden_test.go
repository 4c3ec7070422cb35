//go:build linux || darwin

package vfs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A burrow is a home with a hidden directory in it, .cache/own/modules, and an
// empty one, .cache/own/empty.
type burrow struct {
	home   string
	hidden *vfs.Hidden
	before string
}

func newBurrow(t testing.TB) *burrow {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	b := &burrow{home: filepath.Join(top, "home")}
	must(t, os.MkdirAll(b.at(".cache/own/modules/entry"), 0o777))
	must(t, os.MkdirAll(b.at(".cache/own/empty"), 0o777))
	must(t, os.MkdirAll(b.at(".cache/other/deep"), 0o777))
	must(t, os.Mkdir(b.at("proj"), 0o777))
	for _, name := range []string{".cache/own/modules/key", ".cache/own/modules/entry/code", "proj/file"} {
		must(t, os.WriteFile(b.at(name), []byte(secret), 0o666))
	}
	b.hidden, err = vfs.Hide(b.at(".cache/own/modules"), b.at(".cache/own/empty"), b.at("none"))
	must(t, err)
	b.before = b.look(t, b.at(".cache/own"))
	return b
}

func (b *burrow) at(name string) string { return filepath.Join(b.home, name) }

// look tells what is in what is hidden.
func (b *burrow) look(t testing.TB, own string) (all string) {
	t.Helper()
	must(t, filepath.WalkDir(own, func(name string, d os.DirEntry, err error) error {
		content, _ := os.ReadFile(name)
		all += name[len(own):] + " " + string(content) + "\n"
		return err
	}))
	return all
}

func (b *burrow) check(t testing.TB, own string) {
	t.Helper()
	if now := b.look(t, own); now != b.before {
		t.Errorf("in the hidden directories there was\n%s\nand now there is\n%s", b.before, now)
	}
}

// hiding are the ways to hand a burrow over.
var hiding = map[string]func(*testing.T, *burrow) (tree *vfs.Tree, home string){
	"at once": func(t *testing.T, b *burrow) (*vfs.Tree, string) {
		return newTree(t, map[string]vfs.FS{b.home: host(t, b.home, vfs.HostOptions{Hidden: b.hidden})}), b.home
	},
	"quota": func(t *testing.T, b *burrow) (*vfs.Tree, string) {
		o := vfs.HostOptions{Hidden: b.hidden, Quota: vfs.NewQuota(1<<30, 1<<10)}
		return newTree(t, map[string]vfs.FS{b.home: host(t, b.home, o)}), b.home
	},
	"stepwise": func(t *testing.T, b *burrow) (*vfs.Tree, string) {
		return newTree(t, map[string]vfs.FS{"/": vfs.Stepwise(host(t, b.home, vfs.HostOptions{Hidden: b.hidden}))}), "/"
	},
	"right above": func(t *testing.T, b *burrow) (*vfs.Tree, string) {
		tree := newTree(t, map[string]vfs.FS{
			"/h":            host(t, b.home, vfs.HostOptions{Hidden: b.hidden}),
			"/h/.cache/own": host(t, b.at(".cache/own"), vfs.HostOptions{Hidden: b.hidden}),
		})
		return tree, "/h"
	},
	"part": func(t *testing.T, b *burrow) (*vfs.Tree, string) {
		whole := newTree(t, map[string]vfs.FS{"/w": host(t, b.home, vfs.HostOptions{Hidden: b.hidden})})
		return newTree(t, map[string]vfs.FS{"/h": vfs.Sub(whole, "/w")}), "/h"
	},
}

// Nothing that a guest does with a name reaches a hidden directory, and what
// leads there stays where it is.
func TestHidden(t *testing.T) {
	for name, open := range hiding {
		t.Run(name, func(t *testing.T) {
			b := newBurrow(t)
			tree, home := open(t, b)
			at := func(name string) vfs.Path { return vfs.Path{Dir: home, Name: name} }
			write(t, tree, filepath.Join(home, "file"), "")
			must(t, tree.Symlink(".cache/own/modules", at("link")))
			must(t, tree.Symlink("../own/modules", at(".cache/other/up")))
			must(t, tree.Symlink(filepath.Join(home, ".cache/own"), at("absolute")))
			for _, name := range []string{
				".cache/own/modules", ".cache/own/modules/key", ".cache/own/modules/entry", ".cache/own/modules/entry/code",
				".cache/own/modules/new", ".cache/own/empty", ".cache/own/empty/new",
				".cache/own/modules/../modules/key", ".cache/own/modules/../../other", "proj/../.cache/own/modules/key",
				"link/key", "link/new", "link/..", ".cache/other/up/key", "absolute/modules/key", "absolute/empty",
				filepath.Join(home, ".cache/own/modules/key"),
			} {
				attack(t, tree, at(name), false)
				attack(t, tree, vfs.Path{Dir: home, Name: name, Follow: true}, false)
				if name[0] != '/' && !strings.HasPrefix(name, "absolute") {
					attack(t, tree, vfs.Path{Dir: home, Name: name, Follow: true, Beneath: true}, false)
				}
			}
			// The guest looks from inside, as if it had been open.
			for _, name := range []string{"key", "entry", "entry/code", "../empty"} {
				attack(t, tree, vfs.Path{Dir: filepath.Join(home, ".cache/own/modules"), Name: name}, false)
			}
			must(t, tree.Mkdir(at("new"), 0))
			for _, leading := range []string{".cache", ".cache/own", ".cache/own/modules", ".cache/own/empty"} {
				if err := tree.Rename(at(leading), at("moved")); err == nil {
					t.Errorf("rename %s succeeded", leading)
				}
				if err := tree.Rename(at("new"), at(leading)); err == nil {
					t.Errorf("rename over %s succeeded", leading)
				}
				if err := tree.Rmdir(at(leading)); err == nil {
					t.Errorf("rmdir %s succeeded", leading)
				}
			}
			b.check(t, b.at(".cache/own"))
		})
	}
}

// A hidden directory is not listed, and all that is beside it is as it was.
func TestHiddenBeside(t *testing.T) {
	for name, open := range hiding {
		t.Run(name, func(t *testing.T) {
			b := newBurrow(t)
			tree, home := open(t, b)
			at := func(name string) vfs.Path { return vfs.Path{Dir: home, Name: name} }
			list := func(name string) (names []string) {
				f, _, err := tree.Open(at(name), vfs.How{Read: true, Directory: true})
				must(t, err)
				defer f.Close()
				for cookie := uint64(2); ; {
					entries, err := f.ReadDir(cookie, 100)
					must(t, err)
					if len(entries) == 0 {
						break
					}
					for _, e := range entries {
						names, cookie = append(names, e.Name), e.Next
					}
				}
				slices.Sort(names)
				return names
			}
			write(t, tree, filepath.Join(home, ".cache/own/mine"), "x")
			if got, want := list(".cache/own"), []string{"mine"}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if got, want := list(".cache"), []string{"other", "own"}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			must(t, tree.SetTimes(at(".cache"), vfs.Times{Mtim: 1, SetMtim: true}))
			must(t, tree.Rename(at(".cache/other"), at("proj/other")))
			must(t, tree.Rmdir(at("proj/other/deep")))
			must(t, tree.Unlink(at(".cache/own/mine")))
			if got, err := read(tree, at("proj/file")); got != secret {
				t.Errorf("got %q, %v, want %q", got, err, secret)
			}
		})
	}
}

// A person may move what leads to a hidden directory, and the guest finds it as
// closed as before.
func TestHiddenMoved(t *testing.T) {
	for name, open := range hiding {
		if name == "right above" {
			continue // it is mounted, wherever it goes
		}
		t.Run(name, func(t *testing.T) {
			b := newBurrow(t)
			tree, home := open(t, b)
			for _, move := range [][2]string{{".cache", "c"}, {"c", "proj/c"}, {"proj/c/own", "own"}, {"own/modules", "modules"}} {
				must(t, os.Rename(b.at(move[0]), b.at(move[1])))
				for _, name := range []string{"c/own/modules/key", "proj/c/own/modules/key", "own/modules/key", "modules/key"} {
					if _, err := os.Stat(b.at(name)); err != nil {
						continue
					}
					_, _, err := tree.Open(vfs.Path{Dir: home, Name: name}, vfs.How{Read: true})
					is(t, "open "+name, err, errno.PERM)
				}
			}
		})
	}
}

// What is hidden, or is in it, is not handed over, by whatever name.
func TestHiddenMount(t *testing.T) {
	b := newBurrow(t)
	link := b.at("link")
	must(t, os.Symlink(".cache/own/modules", link))
	for _, dir := range []string{
		b.at(".cache/own/modules"), b.at(".cache/own/modules/entry"), b.at(".cache/own/empty"), link, link + "/entry",
		b.at("proj/../.cache/own/modules/entry/"),
	} {
		for _, readOnly := range []bool{false, true} {
			fs, err := vfs.OpenHost(dir, vfs.HostOptions{ReadOnly: readOnly, Hidden: b.hidden})
			if err == nil {
				fs.Close()
				t.Errorf("%s was handed over", dir)
				continue
			}
			if text := err.Error(); !strings.HasPrefix(text, "mount "+dir+": ") || !strings.HasSuffix(text, "terrarium's own and not for guests") {
				t.Errorf("%s: got %q", dir, text)
			}
		}
	}
	for _, dir := range []string{b.home, b.at(".cache"), b.at(".cache/own"), b.at(".cache/other"), filepath.Dir(b.home)} {
		host(t, dir, vfs.HostOptions{Hidden: b.hidden}).Close()
	}
}

// What is hidden may be removed by others. A file or directory that has got its number since is the
// guest's.
func TestHiddenNumberAgain(t *testing.T) {
	number := func(name string) uint64 {
		t.Helper()
		var s syscall.Stat_t
		must(t, syscall.Lstat(name, &s))
		return s.Ino
	}
	for kind, make := range map[string]func(name string) error{
		"file":      func(name string) error { return os.WriteFile(name, nil, 0o666) },
		"directory": func(name string) error { return os.Mkdir(name, 0o777) },
	} {
		t.Run(kind, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			must(t, err)
			gone, home := filepath.Join(top, "gone"), filepath.Join(top, "home")
			must(t, os.Mkdir(home, 0o777))
			must(t, os.Mkdir(gone, 0o777))
			free := number(gone)
			hidden, err := vfs.Hide(gone)
			must(t, err)
			tree := newTree(t, map[string]vfs.FS{"/": host(t, home, vfs.HostOptions{Hidden: hidden})})
			must(t, os.Remove(gone))
			for i := range 256 {
				name := fmt.Sprint(i)
				must(t, make(filepath.Join(home, name)))
				if number(filepath.Join(home, name)) != free {
					continue
				}
				p := vfs.Path{Dir: "/", Name: name}
				f, _, err := tree.Open(p, vfs.How{Read: true})
				if err != nil {
					t.Fatalf("open: %v", err)
				}
				f.Close()
				if _, err := tree.Stat(p); err != nil {
					t.Errorf("stat: %v", err)
				}
				if err := tree.Rename(p, vfs.Path{Dir: "/", Name: "moved"}); err != nil {
					t.Errorf("rename: %v", err)
				}
				return
			}
			t.Skip("NOT RUN: this file system gave the number to none of 256 files")
		})
	}
}
