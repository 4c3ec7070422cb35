package vfs_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

func TestDevices(t *testing.T) {
	random := io.MultiReader(strings.NewReader("dice"), iotest.ErrReader(errors.New("used up")))
	tree := newTree(t, map[string]vfs.FS{"/dev": vfs.Devices(random, false)})
	for _, test := range []struct {
		name     string
		read     string
		writeErr error
	}{
		{"null", "", nil},
		{"zero", "\x00\x00\x00\x00", nil},
		{"full", "\x00\x00\x00\x00", errno.NOSPC},
		{"urandom", "dice", nil},
	} {
		f, at, err := tree.Open(abs("/dev/"+test.name), vfs.How{Read: true, Write: true, Create: true, Truncate: true})
		if err != nil || at != "/dev/"+test.name {
			t.Errorf("open %s: got %q, %v", test.name, at, err)
			continue
		}
		buf := []byte("fill")
		n, err := f.ReadAt(buf, 1<<40)
		if string(buf[:n]) != test.read || err != nil {
			t.Errorf("read %s: got %q, %v, want %q", test.name, buf[:n], err, test.read)
		}
		n, err = f.WriteAt([]byte("x"), 0)
		if err != test.writeErr || n != 1 && err == nil {
			t.Errorf("write %s: got %d, %v, want %v", test.name, n, err, test.writeErr)
		}
		if n, err := f.WriteAt(nil, 0); n != 0 || err != nil {
			t.Errorf("write nothing to %s: got %d, %v", test.name, n, err)
		}
		if s, err := f.Stat(); s.Type != vfs.CharacterDevice || err != nil {
			t.Errorf("stat %s: got %v, %v", test.name, s, err)
		}
		if got := f.(vfs.Stdio).Stdio(); got != -1 {
			t.Errorf("%s is descriptor %d", test.name, got)
		}
		is(t, "truncate", f.Truncate(0), errno.INVAL)
		_, err = f.ReadDir(0, 1)
		is(t, "list", err, errno.NOTDIR)
		must(t, f.Close())
	}
	_, err := read(tree, abs("/dev/random"))
	is(t, "read when there is no more randomness", err, errno.IO)
	f, _, err := tree.Open(abs("/dev/null"), vfs.How{Read: true})
	must(t, err)
	_, err = f.WriteAt([]byte("x"), 0)
	is(t, "write what was opened to read", err, errno.BADF)
	f, _, err = tree.Open(abs("/dev/zero"), vfs.How{Write: true})
	must(t, err)
	_, err = f.ReadAt(make([]byte, 1), 0)
	is(t, "read what was opened to write", err, errno.BADF)

	for fd, name := range []string{"stdin", "stdout", "stderr", "tty"} {
		f, _, err := tree.Open(abs("/dev/"+name), vfs.How{Read: true})
		must(t, err)
		if got := f.(vfs.Stdio).Stdio(); got != fd {
			t.Errorf("%s is descriptor %d, want %d", name, got, fd)
		}
	}
	_, _, err = tree.Open(abs("/dev/new"), vfs.How{Write: true, Create: true})
	is(t, "create", err, errno.ROFS)
	_, _, err = tree.Open(abs("/dev/null"), vfs.How{Create: true, Exclusive: true})
	is(t, "create what exists", err, errno.EXIST)
	_, _, err = tree.Open(abs("/dev/null"), vfs.How{Directory: true})
	is(t, "open as a directory", err, errno.NOTDIR)
	_, err = tree.Stat(abs("/dev/null/x"))
	is(t, "stat below", err, errno.NOTDIR)
	_, err = tree.Readlink(abs("/dev/stdin"))
	is(t, "readlink", err, errno.INVAL)
	is(t, "unlink", tree.Unlink(abs("/dev/null")), errno.ROFS)
	is(t, "rename", tree.Rename(abs("/dev/null"), abs("/dev/zero")), errno.ROFS)
	is(t, "mkdir", tree.Mkdir(abs("/dev/pts"), 0), errno.ROFS)
	is(t, "mkdir what exists", tree.Mkdir(abs("/dev/null"), 0), errno.EXIST)
}

func TestBin(t *testing.T) {
	var asked []string
	content := func(name string) []byte {
		asked = append(asked, name)
		return []byte("\x00asm of " + name)
	}
	tree := newTree(t, map[string]vfs.FS{
		"/bin":       vfs.Bin([]string{"ls", "cat", "[", "", ".", "..", "a/b", strings.Repeat("x", 256)}, nil),
		"/usr/local": vfs.Bin([]string{"tool", "other"}, content),
	})
	if got, want := list(t, tree, "/bin"), "[ cat ls"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := list(t, tree, "/usr/local"), "other tool"; got != want || asked != nil {
		t.Errorf("got %q and asked for %q, want %q and nothing", got, asked, want)
	}
	for name, want := range map[string]string{"/bin/ls": "#!terrarium ls\n", "/usr/local/tool": "\x00asm of tool"} {
		for range 2 {
			got, err := read(tree, abs(name))
			s, err2 := tree.Stat(abs(name))
			if got != want || err != nil || err2 != nil || s.Type != vfs.RegularFile || s.Size != uint64(len(want)) {
				t.Errorf("%s: got %q and %v, %v, %v, want %q", name, got, s, err, err2, want)
			}
		}
	}
	if len(asked) != 1 {
		t.Errorf("asked for %q, want one once", asked)
	}
	f, _, err := tree.Open(abs("/bin/ls"), vfs.How{Read: true})
	must(t, err)
	for offset, want := range map[int64]int{2: 5, 13: 2, 15: 0, 1 << 62: 0} {
		if n, err := f.ReadAt(make([]byte, 5), offset); n != want || err != nil {
			t.Errorf("read at %d: got %d, %v, want %d", offset, n, err, want)
		}
	}
	_, err = f.ReadAt(make([]byte, 5), -1)
	is(t, "read before the beginning", err, errno.INVAL)
	_, err = f.WriteAt([]byte("x"), 0)
	is(t, "write", err, errno.BADF)
	_, _, err = tree.Open(abs("/bin/ls"), vfs.How{Write: true})
	is(t, "open to write", err, errno.ROFS)
	_, _, err = tree.Open(abs("/bin/new"), vfs.How{Write: true, Create: true})
	is(t, "create", err, errno.ROFS)
	is(t, "unlink", tree.Unlink(abs("/bin/ls")), errno.ROFS)
	is(t, "times", tree.SetTimes(abs("/bin/ls"), vfs.Times{}), errno.ROFS)
}

// TestModesOfOurs are those of what no host has.
func TestModesOfOurs(t *testing.T) {
	tree := newTree(t, map[string]vfs.FS{
		"/dev": vfs.Devices(nil, false), "/bin": vfs.Bin([]string{"ls"}, nil), "/tmp": memory(), "/a/b": memory(),
	})
	for name, want := range map[string]vfs.Mode{
		"/": 0o755, "/a": 0o755, "/tmp": 0o1777, "/dev": 0o755, "/dev/null": 0o666, "/dev/stdin": 0o620, "/bin": 0o755, "/bin/ls": 0o755,
	} {
		s, err := tree.Stat(abs(name))
		must(t, err)
		if got := s.Mode &^ vfs.ModeKnown; got != want {
			t.Errorf("%s: got mode %o, want %o", name, got, want)
		}
	}
}

// TestHTTPDevice is there only where something may be fetched.
func TestHTTPDevice(t *testing.T) {
	for fetches, want := range map[bool]string{
		false: "full null random stderr stdin stdout tty urandom zero",
		true:  "full http null random stderr stdin stdout tty urandom zero",
	} {
		tree := newTree(t, map[string]vfs.FS{"/dev": vfs.Devices(nil, fetches)})
		if got := list(t, tree, "/dev"); got != want {
			t.Errorf("fetches %v: got %q, want %q", fetches, got, want)
		}
		f, _, err := tree.Open(abs("/dev/http"), vfs.How{Read: true, Write: true})
		if !fetches {
			is(t, "open", err, errno.NOENT)
			continue
		}
		must(t, err)
		if got := f.(vfs.Stdio).Stdio(); got != vfs.HTTP {
			t.Errorf("got descriptor %d, want %d", got, vfs.HTTP)
		}
	}
}
