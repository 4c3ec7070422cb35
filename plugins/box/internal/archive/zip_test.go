package archive

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// zipMember is one member of an archive that a test makes.
type zipMember struct {
	name, data string
	mode       fs.FileMode
}

func zipped(t testing.TB, members ...zipMember) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		h.SetMode(m.mode | 0o644)
		out, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(out, m.data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestUnzipStaysInside(t *testing.T) {
	outside := t.TempDir()
	for name, members := range map[string][]zipMember{
		"dots":          {{"../victim", "evil", 0}, {"a/../../victim", "evil", 0}, {"..", "evil", 0}, {"../new/", "", fs.ModeDir}},
		"absolute":      {{outside + "/victim", "evil", 0}},
		"link up":       {{"l", "..", fs.ModeSymlink}, {"l/victim", "evil", 0}},
		"link outside":  {{"l", outside, fs.ModeSymlink}, {"l/victim", "evil", 0}, {"l/new/", "", fs.ModeDir}},
		"link and file": {{"l", "../victim", fs.ModeSymlink}, {"l", "evil", 0}},
		"nul":           {{".\x00./victim", "evil", 0}},
		"backslash":     {{`..\victim`, "evil", 0}},
	} {
		for _, flags := range []string{"-o", "-n", "-jo", "-uo"} {
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
			if err := os.WriteFile(filepath.Join(inside, "a.zip"), zipped(t, members...), 0o600); err != nil {
				t.Fatal(err)
			}
			before := tree(t, outside)
			for range 2 { // the second time the links are there
				run(inside, strings.NewReader(""), io.Discard, "unzip", flags, "a.zip")
			}
			if got := tree(t, outside); got != before {
				t.Errorf("%s: %s: outside: got %s", name, flags, got)
			}
			os.RemoveAll(inside)
			if got := tree(t, top); got != ".\nvictim untouched\n\n" {
				t.Errorf("%s: %s: got %s", name, flags, got)
			}
		}
	}
}

// A file that is put in as it is read comes out whole, and other readers agree about its sizes.
func TestZipStreams(t *testing.T) {
	dir := t.TempDir()
	data := strings.Repeat("a line of many\n", 1<<19)
	if err := os.WriteFile(filepath.Join(dir, "big"), []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"zip", "-q", "a.zip", "big", "big"}, {"zip", "-0q", "a.zip", "big"}} {
		if msg, status := run(dir, strings.NewReader(""), io.Discard, args...); status != 0 {
			t.Fatalf("got status %d: %s", status, msg)
		}
		r, err := zip.OpenReader(filepath.Join(dir, "a.zip"))
		if err != nil {
			t.Fatal(err)
		}
		if m := r.File[0]; m.UncompressedSize64 != uint64(len(data)) || m.CompressedSize64 > uint64(len(data))+1000 {
			t.Errorf("got sizes %d, %d", m.UncompressedSize64, m.CompressedSize64)
		}
		r.Close()
		var out bytes.Buffer
		if msg, status := run(dir, strings.NewReader(""), &out, "unzip", "-p", "a.zip"); status != 0 || out.String() != data {
			t.Errorf("got %d bytes, status %d: %s", out.Len(), status, msg)
		}
	}
}

// An archive with more members than fit into memory is refused before they are read.
func TestManyMembers(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range 300_000 {
		if _, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("a-longer-name-%06d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.zip"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"unzip", "-l", "a.zip"}, {"zip", "a.zip", "a.zip"}} {
		var out bytes.Buffer
		msg, status := run(dir, strings.NewReader(""), &out, args...)
		if status == 0 || !strings.Contains(out.String()+msg, "more members than are read") {
			t.Errorf("%v: got status %d, %q", args, status, out.String()+msg)
		}
	}
}

func FuzzUnzip(f *testing.F) {
	f.Add(zipped(f, zipMember{"f", "data", 0}))
	f.Add(zipped(f, zipMember{"d/", "", fs.ModeDir}, zipMember{"l", "f", fs.ModeSymlink}))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, p []byte) {
		if err := os.WriteFile(filepath.Join(dir, "a.zip"), p, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, flags := range []string{"-v", "-t", "-p", "-Z"} {
			out := limited(1 << 20)
			if msg, status := run(dir, strings.NewReader(""), &out, "unzip", flags, "a.zip"); status < 0 || status > 255 {
				t.Errorf("%s: got status %d: %s", flags, status, msg)
			}
		}
	})
}
