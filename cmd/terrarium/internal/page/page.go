// Package page serves the page of terrarium web: files that are part of the
// binary, to browsers on this machine.
package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
)

// ErrNotBuilt says that the files of the page are not there.
var ErrNotBuilt = errors.New("this build has no page: run make build where npm is installed")

// start is where the page is, and indexName what stands for a folder.
const (
	start     = "demo/"
	indexName = "index.html"
)

// A Config says what is served.
type Config struct {
	// Files has the page, below demo and dist.
	Files fs.FS
	// Made are further files by their paths, such as plugins/box.wasm.gz, and what
	// returns them. It is called for each request, by any goroutine.
	Made map[string]func() ([]byte, error)
	// IsOurs reports whether a request with this Host header may be meant for us.
	IsOurs func(host string) bool
}

// A server is the handler that New returns.
type server struct {
	config Config
	policy string // the Content-Security-Policy
}

// New returns the handler that serves c. It fails with ErrNotBuilt.
func New(c Config) (http.Handler, error) {
	html, err := fs.ReadFile(c.Files, start+indexName)
	if err != nil {
		return nil, ErrNotBuilt
	}
	if _, err := fs.Stat(c.Files, "dist/index.js"); err != nil {
		return nil, ErrNotBuilt
	}
	return &server{config: c, policy: policy(html)}, nil
}

// importMap is the one script that stands in the page itself: browsers take import
// maps from nowhere else.
var importMap = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<script type="importmap">(.*?)</script>`) })

// policy returns the strictest Content-Security-Policy that the page works with:
// its own files, modules of WebAssembly, and the import map by its sum. xterm.js
// makes style elements, so those are allowed; they can't run anything.
//
// https://www.w3.org/TR/CSP3/
func policy(html []byte) string {
	scripts := "'self' 'wasm-unsafe-eval'"
	for _, m := range importMap().FindAllSubmatch(html, -1) {
		sum := sha256.Sum256(m[1])
		scripts += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src " + scripts, "worker-src 'self'", "connect-src 'self'",
		"style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "font-src 'self'",
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; ")
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", s.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	switch {
	case !s.config.IsOurs(r.Host):
		http.Error(w, "terrarium: Host: want localhost or an address of this machine's own", http.StatusForbidden)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "terrarium: want GET", http.StatusMethodNotAllowed)
		return
	case r.URL.Path == "/":
		http.Redirect(w, r, "/"+start, http.StatusFound)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if strings.HasSuffix(name, "/") {
		name += indexName
	}
	body, err := s.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		http.Error(w, "terrarium: no such file", http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, "terrarium: "+err.Error(), http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(body)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	// Pages ask each time: another build may be behind this address by now.
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Type", typeOf(name))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

// read returns a file.
func (s *server) read(name string) ([]byte, error) {
	if f := s.config.Made[name]; f != nil {
		return f()
	}
	if !fs.ValidPath(name) || strings.HasPrefix(path.Base(name), ".") {
		return nil, fs.ErrNotExist
	}
	body, err := fs.ReadFile(s.config.Files, name)
	if err != nil { // there is none, or it is a folder
		return nil, fs.ErrNotExist
	}
	return body, nil
}

// types are those of the files that there are. Go's own table depends on what the
// machine has installed.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".json": "application/json",
	".wasm": "application/wasm",
	".gz":   "application/gzip",
	".svg":  "image/svg+xml",
	".png":  "image/png",
}

func typeOf(name string) string {
	if t := types[path.Ext(name)]; t != "" {
		return t
	}
	return "text/plain; charset=utf-8"
}
