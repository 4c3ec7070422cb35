package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// run runs a command of this package in dir, and returns what it said and its status.
func run(dir string, stdin io.Reader, stdout io.Writer, args ...string) (stderr string, status int) {
	var msg bytes.Buffer
	env := tool.Env{Stdin: stdin, Stdout: stdout, Stderr: &msg, Dir: dir, Environ: []string{"LC_ALL=C.UTF-8", "TZ=UTC"}}
	for _, c := range Commands() {
		if c.Name == args[0] {
			status = tool.Run(c, env, args)
			return msg.String(), status
		}
	}
	return "no such command", 127
}

func archived(t testing.TB, members ...tar.Header) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range members {
		data := []byte{}
		if h.Typeflag == tar.TypeReg {
			data = []byte("evil\n")
		}
		h.Mode, h.Size = 0o644, int64(len(data))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		w.Write(data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tree lists what is in dir: names, and what the files hold.
func tree(t testing.TB, dir string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		b.WriteString(name)
		if d.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			b.WriteString(" " + string(data))
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever names and links an archive has, nothing is written beside the directory that it is
// extracted into.
func TestExtractStaysInside(t *testing.T) {
	outside := t.TempDir()
	file := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name} }
	dir := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeDir, Name: name} }
	link := func(name, target string) tar.Header {
		return tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target}
	}
	hard := func(name, target string) tar.Header {
		return tar.Header{Typeflag: tar.TypeLink, Name: name, Linkname: target}
	}
	for name, members := range map[string][]tar.Header{
		"dots":              {file("../victim"), file("a/../../victim"), file("..")},
		"absolute":          {file(outside + "/victim")},
		"link up":           {link("l", ".."), file("l/victim")},
		"link outside":      {link("l", outside), file("l/victim"), dir("l/new")},
		"link to the file":  {link("l", "../victim"), file("l")},
		"chain":             {dir("a"), link("a/b", "../.."), link("c", "a/b"), file("c/victim")},
		"hard link outside": {hard("h", "../victim"), file("h")},
		"hard link to link": {link("l", "../victim"), hard("h", "l"), file("h")},
		"directory, a link": {dir("d"), link("d", ".."), file("d/victim")},
		"link, a directory": {link("d", ".."), dir("d"), file("d/victim")},
		"link in a link":    {link("d", "."), link("d/e", ".."), file("e/victim")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, flags := range []string{"x", "xk", "xU", "xp", "x --overwrite", "x --keep-newer-files", "x --transform=s/^/.\\//"} {
				top := t.TempDir()
				inside := filepath.Join(top, "in")
				if err := os.Mkdir(inside, 0o777); err != nil {
					t.Fatal(err)
				}
				for _, d := range []string{top, outside} {
					if err := os.WriteFile(filepath.Join(d, "victim"), []byte("untouched\n"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				before := tree(t, outside)
				args := append([]string{"tar"}, strings.Fields(flags)...)
				run(inside, bytes.NewReader(archived(t, members...)), io.Discard, args...)
				if got := tree(t, outside); got != before {
					t.Errorf("%s: outside: got %s", flags, got)
				}
				removeAll(t, inside)
				if got := tree(t, top); got != ".\nvictim untouched\n\n" {
					t.Errorf("%s: got %s", flags, got)
				}
			}
		})
	}
}

// An archive of git begins with what is no member.
func TestGlobalHeader(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "0123"}})
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "f"})
	w.Close()
	var out bytes.Buffer
	if msg, status := run(t.TempDir(), &b, &out, "tar", "t"); status != 0 || out.String() != "f\n" {
		t.Errorf("got %q, %q, %d", out.String(), msg, status)
	}
}

// Sizes that are negative, or larger than anything, end in a message.
func TestBadSizes(t *testing.T) {
	for name, size := range map[string]string{
		"negative": "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xf0",
		"huge":     "\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff",
		"no digit": "zzzzzzzzzzz\x00",
	} {
		p := archived(t, tar.Header{Typeflag: tar.TypeReg, Name: "f"})
		copy(p[124:136], size)
		sum := 0
		copy(p[148:156], "        ")
		for _, c := range p[:512] {
			sum += int(c)
		}
		copy(p[148:156], []byte{byte('0' + sum>>15&7), byte('0' + sum>>12&7), byte('0' + sum>>9&7), byte('0' + sum>>6&7), byte('0' + sum>>3&7), byte('0' + sum&7), 0, ' '})
		for _, flags := range []string{"t", "x", "xO"} {
			if _, status := run(t.TempDir(), bytes.NewReader(p), io.Discard, "tar", flags); status != 2 {
				t.Errorf("%s: %s: got status %d, want 2", name, flags, status)
			}
		}
	}
}

// limited breaks as a pipe does when nobody reads on.
type limited int

func (l *limited) Write(p []byte) (int, error) {
	if *l -= limited(len(p)); *l < 0 {
		return 0, syscall.EPIPE
	}
	return len(p), nil
}

func FuzzTar(f *testing.F) {
	// Short ones, or minimizing what is interesting takes all the time.
	f.Add(archived(f, tar.Header{Typeflag: tar.TypeSymlink, Name: "l", Linkname: "f"})[:512])
	f.Add(archived(f, tar.Header{Typeflag: tar.TypeReg, Name: "f"})[:520])
	f.Add(archived(f, tar.Header{Typeflag: tar.TypeReg, Name: strings.Repeat("long/", 60) + "f", Format: tar.FormatGNU}))
	f.Add(archived(f, tar.Header{Typeflag: tar.TypeReg, Name: strings.Repeat("é/", 60) + "f", Format: tar.FormatPAX}))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, p []byte) {
		for _, flags := range []string{"tv", "xO"} {
			out := limited(1 << 20)
			if _, status := run(dir, bytes.NewReader(p), &out, "tar", flags); status > 2 && status != 141 {
				t.Errorf("%s: got status %d", flags, status)
			}
		}
	})
}

// removeAll removes a directory, and directories in it that came without permissions.
func removeAll(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d.IsDir() && os.Chmod(name, 0o700) == nil {
			return nil // and if it could not be read it is read again
		}
		return err
	})
	if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
		t.Fatal(err)
	}
}
