//go:build linux || darwin

package vfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// modeOf is the mode that a Tree tells, which must be the host's if there is one.
func modeOf(t *testing.T, tree *vfs.Tree, name, host string) vfs.Mode {
	t.Helper()
	s, err := tree.Stat(abs(name))
	must(t, err)
	if host != "" {
		var h unix.Stat_t
		must(t, unix.Lstat(host, &h))
		if want := vfs.ModeKnown | vfs.Mode(h.Mode&0o7777); s.Mode != want {
			t.Errorf("%s: got mode %o, want the host's %o", name, s.Mode, want)
		}
	}
	return s.Mode &^ vfs.ModeKnown
}

// TestModesOfNew has an umask that takes more than the guest's, whose own counts.
func TestModesOfNew(t *testing.T) {
	vfs.Umask() // what this program had
	defer unix.Umask(unix.Umask(0o022))
	dir := t.TempDir()
	for kind, fs := range map[string]vfs.FS{"memory": memory(), "host": host(t, dir, vfs.HostOptions{})} {
		tree := newTree(t, map[string]vfs.FS{"/w": fs})
		for _, c := range []struct {
			name       string
			mode, want vfs.Mode
			dir        bool
		}{
			{"usual", 0, 0o644, false}, {"private", 0o600, 0o600, false}, {"script", 0o755, 0o755, false},
			{"special", 0o7755, 0o755, false}, {"d", 0, 0o755, true}, {"private-d", 0o700, 0o700, true}, {"special-d", 0o7750, 0o750, true},
		} {
			p, mode := abs("/w/"+c.name), c.mode
			if mode != 0 {
				mode |= vfs.ModeKnown
			}
			if c.dir {
				must(t, tree.Mkdir(p, mode))
			} else {
				f, _, err := tree.Open(p, vfs.How{Write: true, Create: true, Mode: mode})
				must(t, err)
				s, err := f.Stat()
				must(t, err)
				if s.Mode != vfs.ModeKnown|c.want {
					t.Errorf("%s: %s when it is open: got %o, want %o", kind, c.name, s.Mode, c.want)
				}
				f.Close()
			}
			onHost := ""
			if kind == "host" {
				onHost = filepath.Join(dir, c.name)
			}
			if got := modeOf(t, tree, "/w/"+c.name, onHost); got != c.want {
				t.Errorf("%s: %s: got mode %o, want %o", kind, c.name, got, c.want)
			}
		}
	}
}

func TestModeBeyondUmask(t *testing.T) {
	dir := t.TempDir()
	tree := newTree(t, map[string]vfs.FS{"/w": host(t, dir, vfs.HostOptions{Quota: vfs.NewQuota(1<<20, 100)})})
	f, _, err := tree.Open(abs("/w/f"), vfs.How{Write: true, Create: true, Mode: vfs.ModeKnown | 0o666})
	must(t, err)
	f.Close()
	must(t, tree.Mkdir(abs("/w/d"), vfs.ModeKnown|0o777))
	if got := modeOf(t, tree, "/w/f", filepath.Join(dir, "f")); got != 0o666 {
		t.Errorf("a file: got mode %o, want 666", got)
	}
	if got := modeOf(t, tree, "/w/d", filepath.Join(dir, "d")); got != 0o777 {
		t.Errorf("a directory: got mode %o, want 777", got)
	}
}

func TestSetMode(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must(t, os.Chmod(filepath.Join(dir, "sub"), 0o755|os.ModeSetgid|os.ModeSticky))
	for _, name := range []string{"f", "sub/g", "unreadable", "suid"} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	must(t, os.Chmod(filepath.Join(dir, "unreadable"), 0o200))
	must(t, os.Chmod(filepath.Join(dir, "suid"), 0o755|os.ModeSetuid))
	must(t, os.Symlink("f", filepath.Join(dir, "link")))
	must(t, os.Symlink("sub", filepath.Join(dir, "linkdir")))
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	for kind, fs := range map[string]vfs.FS{
		"host": host(t, dir, vfs.HostOptions{}), "stepwise": vfs.Stepwise(host(t, dir, vfs.HostOptions{})),
	} {
		tree := newTree(t, map[string]vfs.FS{"/w": fs, "/ro": host(t, dir, vfs.HostOptions{ReadOnly: true})})
		for _, c := range []struct {
			name, host string
			mode, want vfs.Mode
		}{
			{"f", "f", 0o751, 0o751},
			{"f", "f", 0o7600, 0o600}, // nobody gets more rights by a file of ours
			{"sub/g", "sub/g", 0o444, 0o444},
			{"linkdir/g", "sub/g", 0o640, 0o640},
			{"link", "f", 0o700, 0o700},
			{"unreadable", "unreadable", 0o202, 0o202},
			{"suid", "suid", 0o4755, 0o755},
			{"sub", "sub", 0o700, 0o3700}, // as chmod(1) leaves it
			{".", ".", 0o750, 0o750},
		} {
			must(t, tree.SetMode(vfs.Path{Dir: "/w", Name: c.name, Follow: true}, vfs.ModeKnown|c.mode))
			var s unix.Stat_t
			must(t, unix.Stat(filepath.Join(dir, c.host), &s))
			if got := vfs.Mode(s.Mode & 0o7777); got != c.want {
				t.Errorf("%s: %s to %o: got %o, want %o", kind, c.name, c.mode, got, c.want)
			}
		}
		set := func(name string) error { return tree.SetMode(vfs.Path{Dir: "/", Name: name}, vfs.ModeKnown|0o700) }
		is(t, "a link", set("/w/link"), errno.NOTSUP)
		is(t, "a fifo", set("/w/fifo"), errno.NOTSUP)
		is(t, "nothing", set("/w/none"), errno.NOENT)
		is(t, "what is in a file", set("/w/f/x"), errno.NOTDIR)
		is(t, "read-only", set("/ro/f"), errno.ROFS)
		is(t, "the read-only root", set("/ro"), errno.ROFS)
		is(t, "the tree's own", set("/"), errno.ROFS)
		is(t, "out", set("/w/../../etc/passwd"), errno.NOENT)
		must(t, os.Chmod(filepath.Join(dir, "suid"), 0o755|os.ModeSetuid))
	}
}

// A refuser keeps what it was asked about.
type refuser struct{ asked *[]string }

func (r refuser) SetMode(name string, _ vfs.Mode) error {
	*r.asked = append(*r.asked, name)
	return errno.DQUOT
}

func (r refuser) SetTimes(name string, _ vfs.Times) error {
	*r.asked = append(*r.asked, name)
	return errno.DQUOT
}

// TestSetModeByAnother is a program that may not set modes.
func TestSetModeByAnother(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o644))
	must(t, os.Chmod(filepath.Join(dir, "f"), 0o644))
	var asked []string
	fs := host(t, dir, vfs.HostOptions{Setter: refuser{&asked}})
	tree := newTree(t, map[string]vfs.FS{"/w": fs})
	is(t, "set", tree.SetMode(abs("/w/f"), vfs.ModeKnown|0o755), errno.DQUOT)
	must(t, tree.Mkdir(abs("/w/d"), vfs.ModeKnown|0o700))
	if len(asked) != 1 || asked[0] != "f" {
		t.Errorf("asked for %q, want f", asked)
	}
	if got := modeOf(t, tree, "/w/f", filepath.Join(dir, "f")); got != 0o644 {
		t.Errorf("got mode %o, want 644", got)
	}
}
