package page_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/page"
)

const index = `<!doctype html><script type="importmap">{"imports":{}}</script><title>page</title>`

func config() page.Config {
	return page.Config{
		Files: fstest.MapFS{
			"demo/index.html": {Data: []byte(index)},
			"demo/.hidden":    {Data: []byte("secret")},
			"dist/index.js":   {Data: []byte("export {}")},
			"dist/x.wasm":     {Data: []byte("\x00asm")},
			"dist/x.wasm.gz":  {Data: []byte("\x1f\x8b")},
		},
		IsOurs: func(host string) bool { return host == "localhost:1" },
	}
}

func serve(t *testing.T, c page.Config) http.Handler {
	h, err := page.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func ask(h http.Handler, method, target string, header ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	r.Host = "localhost:1"
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		} else {
			r.Header.Set(header[i], header[i+1])
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestFiles(t *testing.T) {
	h := serve(t, config())
	for _, test := range []struct {
		method, path string
		status       int
		typ          string
	}{
		{"GET", "/", http.StatusFound, ""},
		{"GET", "/demo/", 200, "text/html; charset=utf-8"},
		{"HEAD", "/demo/index.html", 200, "text/html; charset=utf-8"},
		{"GET", "/dist/index.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/dist/x.wasm", 200, "application/wasm"},
		{"GET", "/dist/x.wasm.gz", 200, "application/gzip"},
		{"GET", "/dist", 404, ""},
		{"GET", "/dist/", 404, ""},
		{"GET", "/demo/.hidden", 404, ""},
		{"GET", "/demo/../dist/index.js", 404, ""},
		{"GET", "/nothing", 404, ""},
		{"GET", "//dist/index.js", 404, ""},
		{"POST", "/demo/", http.StatusMethodNotAllowed, ""},
	} {
		got := ask(h, test.method, test.path)
		if got.StatusCode != test.status || test.typ != "" && got.Header.Get("Content-Type") != test.typ {
			t.Errorf("%s %s: got %d %s, want %d %s", test.method, test.path, got.StatusCode, got.Header.Get("Content-Type"), test.status, test.typ)
		}
		if got.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: has a Content-Encoding", test.path)
		}
		for name := range got.Header {
			if strings.HasPrefix(name, "Cross-Origin") {
				t.Errorf("%s: has %s", test.path, name)
			}
		}
	}
}

// A page of another name that leads here gets nothing.
func TestRebinding(t *testing.T) {
	if got := ask(serve(t, config()), "GET", "/demo/", "Host", "evil.example:1"); got.StatusCode != http.StatusForbidden {
		t.Errorf("got %d, want %d", got.StatusCode, http.StatusForbidden)
	}
}

func TestPolicy(t *testing.T) {
	got := ask(serve(t, config()), "GET", "/demo/").Header.Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'none'", "frame-ancestors 'none'",
		// echo -n '{"imports":{}}' | openssl dgst -sha256 -binary | base64
		"script-src 'self' 'wasm-unsafe-eval' 'sha256-URrTy+Il/Nz0lHojVUx275hWqAWhkSF0VsHbUM4/6Hw=';",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if scripts := strings.Split(got, ";")[1]; strings.Contains(scripts, "unsafe-inline") || strings.Contains(scripts, "'unsafe-eval'") {
		t.Errorf("got%s: runs anything", scripts)
	}
}

// What has not changed is not sent again.
func TestCached(t *testing.T) {
	h := serve(t, config())
	tag := ask(h, "GET", "/dist/index.js").Header.Get("ETag")
	if got := ask(h, "GET", "/dist/index.js", "If-None-Match", tag); tag == "" || got.StatusCode != http.StatusNotModified {
		t.Errorf("got %d with tag %s, want %d", got.StatusCode, tag, http.StatusNotModified)
	}
}

func TestMade(t *testing.T) {
	c := config()
	c.Made = map[string]func() ([]byte, error){
		"plugins/box.wasm.gz": func() ([]byte, error) { return []byte("made"), nil },
		"plugins/bad.wasm.gz": func() ([]byte, error) { return nil, errors.New("no such luck") },
	}
	h := serve(t, c)
	if got := ask(h, "GET", "/plugins/box.wasm.gz"); got.StatusCode != 200 {
		t.Errorf("got %d, want 200", got.StatusCode)
	}
	if got := ask(h, "GET", "/plugins/bad.wasm.gz"); got.StatusCode != http.StatusInternalServerError {
		t.Errorf("got %d, want %d", got.StatusCode, http.StatusInternalServerError)
	}
}

func TestNotBuilt(t *testing.T) {
	if _, err := page.New(page.Config{Files: fstest.MapFS{}}); err != page.ErrNotBuilt {
		t.Errorf("got %v, want %v", err, page.ErrNotBuilt)
	}
}
