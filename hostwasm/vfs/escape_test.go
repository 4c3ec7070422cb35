//go:build linux || darwin

package vfs_test

import (
	"fmt"
	"net"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A canary is a directory beside the box that nobody in the box may see, let
// alone change.
type canary struct {
	dir, box string
	before   string
}

const secret = "the canary's secret"

func newCanary(t testing.TB) *canary {
	t.Helper()
	temp, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	c := &canary{dir: filepath.Join(temp, "canary"), box: filepath.Join(temp, "box")}
	must(t, os.MkdirAll(filepath.Join(c.dir, "dir"), 0o777))
	must(t, os.MkdirAll(filepath.Join(c.box, "sub", "deep"), 0o777))
	for _, name := range []string{"secret", "dir/secret"} {
		must(t, os.WriteFile(filepath.Join(c.dir, name), []byte(secret), 0o666))
	}
	c.before = c.look(t)
	return c
}

// look tells all about the canary but when it was read.
func (c *canary) look(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(filepath.Dir(c.dir), func(path string, _ os.DirEntry, err error) error {
		if path == c.box {
			return filepath.SkipDir
		}
		var s unix.Stat_t
		if err == nil {
			err = unix.Lstat(path, &s)
		}
		content, _ := os.ReadFile(path)
		fmt.Fprintln(&b, path, s.Ino, s.Mode, s.Nlink, s.Size, s.Mtim, s.Ctim, string(content))
		return err
	}))
	return b.String()
}

func (c *canary) check(t testing.TB) {
	t.Helper()
	if now := c.look(t); now != c.before {
		t.Errorf("outside of the box there was\n%s\nand now there is\n%s", c.before, now)
	}
}

// attack does all that a guest can do with a name, which must all fail. It
// spares the name itself if that may stand for a link.
func attack(t *testing.T, tree *vfs.Tree, p vfs.Path, isLink bool) {
	t.Helper()
	for _, how := range []vfs.How{
		{Read: true}, {Write: true}, {Read: true, Write: true, Append: true}, {Truncate: true}, {Directory: true},
		{Write: true, Create: true}, {Write: true, Truncate: true}, {Write: true, Create: true, Exclusive: true},
	} {
		f, at, err := tree.Open(p, how)
		if err != nil {
			continue
		}
		buf := make([]byte, 100)
		n, _ := f.ReadAt(buf, 0)
		f.Close()
		t.Errorf("open %q %+v: got %s with %q", p.Name, how, at, buf[:n])
	}
	if s, err := tree.Stat(p); err == nil {
		t.Errorf("stat %q: got %v", p.Name, s)
	}
	file, inside := vfs.Path{Dir: p.Dir, Name: "file"}, vfs.Path{Dir: p.Dir, Name: "inside"}
	results := map[string]error{
		"times":     tree.SetTimes(p, vfs.Times{Mtim: 1, SetMtim: true}),
		"link from": tree.Link(p, inside),
		"mkdir":     tree.Mkdir(p, 0),
		"rmdir":     tree.Rmdir(p),
		"mode":      tree.SetMode(p, vfs.ModeKnown|0o777),
		"symlink":   tree.Symlink("x", p),
		"link to":   tree.Link(file, p),
	}
	if !isLink {
		results["unlink"] = tree.Unlink(p)
		results["rename from"] = tree.Rename(p, inside)
		results["rename to"] = tree.Rename(file, p)
	}
	for call, err := range results {
		if err == nil {
			t.Errorf("%s %q succeeded", call, p.Name)
		}
	}
}

// newLinks makes the links out of the box, each by the host and by the guest,
// and returns names that lead out through them; and the links themselves.
func newLinks(t *testing.T, c *canary, tree *vfs.Tree, at string, readOnly bool) (through, links []string) {
	made := 0
	for _, byGuest := range []bool{false, true} {
		link := func(target string) string {
			name := fmt.Sprint("link", made)
			made++
			if byGuest && !readOnly {
				must(t, tree.Symlink(target, vfs.Path{Dir: at, Name: name}))
			} else {
				must(t, os.Symlink(target, filepath.Join(c.box, name)))
			}
			return name
		}
		for _, dir := range []string{
			c.dir, "../canary", "sub/../../canary", "/.." + c.dir, "sub/deep/../../../canary", "/proc/self/root" + c.dir,
			strings.Repeat("../", 40) + c.dir[1:],
		} {
			one, file := link(dir), link(dir+"/secret")
			through = append(through, one+"/new", one+"/secret", one+"/dir/secret", one+"/..//canary/secret", link(one+"/dir")+"/secret")
			links = append(links, file, link(file))
			if at != "/" { // where a file of that name could be created inside
				links = append(links, one)
			}
		}
	}
	return through, links
}

// TestEscapes tries every way out of a box that is known from engines that had
// one: through links that the host or the guest made, and by names alone.
func TestEscapes(t *testing.T) {
	for _, mode := range []string{"root", "own path", "stepwise", "read-only"} {
		t.Run(mode, func(t *testing.T) {
			c := newCanary(t)
			must(t, os.WriteFile(filepath.Join(c.box, "file"), nil, 0o666))
			fs := host(t, c.box, vfs.HostOptions{ReadOnly: mode == "read-only"})
			at := c.box
			if mode == "root" {
				at = "/"
			}
			if mode == "stepwise" {
				vfs.Stepwise(fs)
			}
			tree := newTree(t, map[string]vfs.FS{at: fs})
			through, links := newLinks(t, c, tree, at, mode == "read-only")
			for _, name := range links {
				attack(t, tree, vfs.Path{Dir: at, Name: name, Follow: true}, true)
				attack(t, tree, vfs.Path{Dir: at, Name: name, Follow: true, Beneath: true}, true)
			}
			up := strings.Repeat("../", 40)
			for _, name := range append(through, "../canary/secret", "sub/../../canary/secret", up+"canary/secret",
				up+c.dir[1:]+"/secret", c.dir+"/secret", "//"+c.dir+"/secret", "/.."+c.dir+"/secret", "/proc/self/root"+c.dir+"/secret") {
				attack(t, tree, vfs.Path{Dir: at, Name: name}, false)
				attack(t, tree, vfs.Path{Dir: at, Name: name, Beneath: true}, false)
				if name[0] != '/' {
					attack(t, tree, vfs.Path{Dir: path.Join(at, "sub"), Name: "../" + name}, false)
				}
			}
			if mode != "read-only" { // a link itself can be moved and removed
				moved := vfs.Path{Dir: at, Name: "moved"}
				must(t, tree.Rename(vfs.Path{Dir: at, Name: links[0]}, moved))
				must(t, tree.Link(moved, vfs.Path{Dir: at, Name: "second"}))
				must(t, tree.SetTimes(moved, vfs.Times{Mtim: 1, SetMtim: true}))
				must(t, tree.Unlink(moved))
			}
			c.check(t)
		})
	}
}

// TestSpecialFiles has what guests may see but not open.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o666))
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	must(t, err)
	defer socket.Close()
	types := map[string]vfs.Type{"fifo": vfs.Unknown, "socket": vfs.SocketStream}
	// Only root may do so.
	if unix.Mknod(filepath.Join(dir, "char"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))) == nil {
		types["char"] = vfs.CharacterDevice
		must(t, unix.Mknod(filepath.Join(dir, "block"), unix.S_IFBLK|0o666, int(unix.Mkdev(7, 0))))
		types["block"] = vfs.BlockDevice
	}
	tree := newTree(t, map[string]vfs.FS{"/": host(t, dir, vfs.HostOptions{})})
	f, _, err := tree.Open(abs("/"), vfs.How{Directory: true})
	must(t, err)
	defer f.Close()
	entries, err := f.ReadDir(2, 100)
	must(t, err)
	if len(entries) != len(types) {
		t.Errorf("got %v, want %v", entries, types)
	}
	for _, e := range entries {
		if e.Type != types[e.Name] {
			t.Errorf("%s: got type %v in the list, want %v", e.Name, e.Type, types[e.Name])
		}
		s, err := tree.Stat(abs(e.Name))
		if err != nil || s.Type != e.Type || s.Ino != e.Ino {
			t.Errorf("stat %s: got %v, %v, want %v", e.Name, s, err, e)
		}
		for _, how := range []vfs.How{
			{Read: true}, {Write: true}, {Read: true, Write: true}, {Write: true, Create: true}, {Truncate: true},
			{Write: true, Append: true},
		} {
			_, _, err := tree.Open(abs(e.Name), how)
			is(t, fmt.Sprintf("open %s %+v", e.Name, how), err, errno.PERM)
		}
		_, _, err = tree.Open(abs(e.Name), vfs.How{Directory: true})
		is(t, "open as directory", err, errno.NOTDIR)
		is(t, "unlink", tree.Unlink(abs(e.Name)), nil)
	}
}

// TestOpenHostRefused has directories that are never handed over.
func TestOpenHostRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o666))
	must(t, os.Symlink("/dev", filepath.Join(dir, "link")))
	must(t, os.Symlink("link", filepath.Join(dir, "chain")))
	names := []string{"/dev", "/dev/", "/dev/../dev/fd", dir + "/link", dir + "/chain/fd", dir + "/missing", dir + "/file", dir + "/file/x", ""}
	if _, err := os.Stat("/proc/self"); err == nil {
		names = append(names, "/proc", "/proc/self", "/proc/self/cwd/../root/proc", "/proc/1", "/sys", "/sys/kernel", "/dev/shm", "/proc/self/root/proc")
	}
	for _, name := range names {
		fs, err := vfs.OpenHost(name, vfs.HostOptions{})
		if err == nil {
			fs.Close()
			t.Errorf("%q was opened", name)
			continue
		}
		if text := err.Error(); !strings.HasPrefix(text, "mount "+name+": ") || strings.Contains(text, "\n") {
			t.Errorf("%q: got %q, want one line that names it", name, text)
		}
	}
}
