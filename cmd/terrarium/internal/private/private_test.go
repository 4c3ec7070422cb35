//go:build unix

package private_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
)

// TestRead has only a small file that is the owner's alone be read, and waits for no pipe.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil { // whatever the umask
			t.Fatal(err)
		}
		return name
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, want, refused string }{
		{write("ours", "12345678", 0o600), "12345678", ""},
		{write("readable", "x", 0o644), "", "mode 0644: others may read or write it: chmod 600"},
		{write("group", "x", 0o620), "", "mode 0620: others may read or write it: chmod 600"},
		{write("long", "123456789", 0o600), "", "longer than 8 bytes"},
		{fifo, "", "it is no file"},
		{"/dev/zero", "", "it is no file"},
		{dir, "", "it is no file"},
		{filepath.Join(dir, "none"), "", "no such file"},
	} {
		b, err := private.Read(c.name, 8)
		switch {
		case c.refused == "" && (err != nil || string(b) != c.want):
			t.Errorf("%s: got %q, %v, want %q", c.name, b, err, c.want)
		case c.refused != "" && (err == nil || !strings.HasSuffix(err.Error(), c.refused) && !strings.Contains(err.Error(), c.refused+" ")):
			t.Errorf("%s: got %q, %v, want %q", c.name, b, err, c.refused)
		}
	}
}

// TestReadOrPipe has a pipe be read, and a file looked at as Read does.
func TestReadOrPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.WriteString("secret")
	w.Close()
	if b, err := private.ReadOrPipe("/dev/fd/"+strconv.Itoa(int(r.Fd())), 8); err != nil || string(b) != "secret" {
		t.Errorf("got %q, %v", b, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := private.ReadOrPipe(file, 8); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("got %v, want that others may read it", err)
	}
}

// TestMkdir has a directory be made that only we may enter, and refuses whatever else is there.
func TestMkdir(t *testing.T) {
	in := t.TempDir()
	dir := filepath.Join(in, "dir")
	for range 2 {
		if err := private.Mkdir(dir); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v, want mode 0700", info.Mode(), err)
	}
	link, file, open := filepath.Join(in, "link"), filepath.Join(in, "file"), filepath.Join(in, "open")
	err := errors.Join(
		os.Symlink(dir, link), os.WriteFile(file, nil, 0o700),
		os.Mkdir(open, 0o700), os.Chmod(open, 0o710),
	)
	if err != nil {
		t.Fatal(err)
	}
	refused := []string{link, file, open}
	if theirs := filepath.Join(in, "theirs"); os.Geteuid() == 0 {
		if err := os.Mkdir(theirs, 0o700); err != nil {
			t.Fatal(err)
		}
		// It fails for root of a namespace with one user.
		if err := os.Chown(theirs, 65534, 65534); err == nil {
			refused = append(refused, theirs)
		}
	}
	for _, name := range refused {
		if err := private.Mkdir(name); err == nil || err.Error() != name+" is not a directory that only you may enter: remove it" {
			t.Errorf("%s: got %v, want that it is refused", name, err)
		}
	}
	if err := private.Mkdir(filepath.Join(in, "none", "dir")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that nothing is made above it", err)
	}
}

// TestMkdirAll has a directory be made for us alone, and refuses what others may write to or own.
func TestMkdirAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		if err := private.MkdirAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v, want mode 0700", info.Mode(), err)
	}
	for _, mode := range []os.FileMode{0o720, 0o702, 0o777} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := private.MkdirAll(dir); err == nil || !strings.Contains(err.Error(), "others may write to it: chmod 700") {
			t.Errorf("%v: got %v", mode, err)
		}
	}
	theirs := "/" // root's
	if os.Geteuid() == 0 {
		theirs = filepath.Join(t.TempDir(), "theirs")
		if err := os.Mkdir(theirs, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(theirs, 65534, 65534); err != nil {
			t.Skip("NOT RUN: ", err) // root of a namespace with one user
		}
	}
	if err := private.MkdirAll(theirs); err == nil || !strings.Contains(err.Error(), "it belongs to user ") {
		t.Errorf("%s: got %v, want whose it is", theirs, err)
	}
}
