package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
)

// Plugins of one package are downloaded once, and what is not the package is no download.
func TestDownloads(t *testing.T) {
	const text = "what several plugins come in"
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path == "/wrong.tgz" {
			io.WriteString(w, "WHAT SEVERAL PLUGINS COME IN")
			return
		}
		io.WriteString(w, text)
	}))
	defer server.Close()
	list := "format = 1\n"
	for name, file := range map[string]string{"one": "right", "two": "right", "three": "wrong"} {
		list += fmt.Sprintf("[[plugin]]\nname = %q\nversion = \"1\"\ndescription = \"x\"\nlicence = \"x\"\nsource = \"%s/%s.tgz\"\n"+
			"sha256 = \"%x\"\nsize = %d\nmodule = \"x\"\nsmoke = [\"x\"]\nanswer = \"x\"\n", name, server.URL, file, sha256.Sum256([]byte(text)), len(text))
	}
	x, err := index.Parse("list", []byte(list), "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var d downloads
	defer d.remove()
	for _, test := range []struct {
		name  string
		fails bool
		asked int
	}{{"three", true, 1}, {"one", false, 2}, {"two", false, 2}} {
		f, err := d.open(context.Background(), dir, x, x.Find(test.name))
		if (err != nil) != test.fails || asked != test.asked {
			t.Errorf("%s: got %v, asked %d times, want %d", test.name, err, asked, test.asked)
		}
		if err != nil {
			continue
		}
		b, err := io.ReadAll(f)
		if string(b) != text || err != nil {
			t.Errorf("%s: got %q, %v", test.name, b, err)
		}
		f.Close()
	}
	if parts, _ := filepath.Glob(filepath.Join(dir, "*", "*.part")); len(parts) > 0 {
		t.Errorf("left %q", parts)
	}
	d.remove()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
