// Package browser runs a Go test binary for GOOS=js in Chromium: in a worker of a page that is
// served on loopback, with a file system in memory and what guests need of a browser.
package browser

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed index.html worker.js files.js
var pages embed.FS

// A Config says what is run.
type Config struct {
	Chromium string            // the program
	Goroot   string            // has wasm_exec.js
	Web      string            // the folder with the compiled guests.js
	Wasm     string            // the test binary
	Args     []string          // for it
	Env      map[string]string // of it
	Dir      string            // its current directory, absolute: the package's folder
	Files    []File            // what it finds besides /tmp and /dev/null
	Limit    time.Duration     // after which it is given up

	Stdout, Stderr io.Writer
}

// A File is one that the test binary finds.
type File struct {
	Path string `json:"path"` // absolute
	Mode uint32 `json:"mode"` // its permissions
	Size int    `json:"size"`

	data []byte
}

// maxFiles bounds how much the files are together, in bytes.
const maxFiles = 256 << 20

// startLimit is how long Chromium may take to ask for the page.
const startLimit = time.Minute

// Tree returns the files at path, absolute, or below it if deep: of a folder's own files alone if
// not.
func Tree(path string, deep bool) (files []File, err error) {
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != path && !deep:
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		files = append(files, NewFile(name, info.Mode().Perm(), data))
		return err
	})
	return files, err
}

// NewFile returns a File.
func NewFile(path string, mode fs.FileMode, data []byte) File {
	return File{Path: filepath.ToSlash(path), Mode: uint32(mode), Size: len(data), data: data}
}

// A server serves the page and hears how the test binary does.
type server struct {
	config Config
	wasm   []byte
	asked  chan struct{} // gets a value when the page is first asked for
	ended  chan end
}

// end is how it went: an exit status, or what the page says is wrong.
type end struct {
	code int
	err  error
}

// Run runs the test binary and returns its exit status. What it has started is gone when it
// returns.
func Run(ctx context.Context, c Config) (int, error) {
	s := &server{config: c, asked: make(chan struct{}, 1), ended: make(chan end, 1)}
	var err error
	if s.wasm, err = os.ReadFile(c.Wasm); err != nil {
		return 0, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	// Others on this machine must not have a say.
	secret := "/" + rand.Text() + "/"
	h := &http.Server{Handler: http.StripPrefix(secret, s), ReadHeaderTimeout: 10 * time.Second}
	go h.Serve(l) // until Close
	defer h.Close()

	chromium, err := start(c.Chromium, "http://"+l.Addr().String()+secret)
	if err != nil {
		return 0, err
	}
	defer chromium.stop()
	if c.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Limit, fmt.Errorf(
			"the tests have not ended after %v: a guest or Go may run without end; -test.v says which test it is", c.Limit))
		defer cancel()
	}
	startup := time.NewTimer(startLimit)
	defer startup.Stop()
	for {
		select {
		case <-s.asked:
			startup.Stop()
		case e := <-s.ended:
			return e.code, e.err
		case <-startup.C:
			return 0, fmt.Errorf("the browser has not asked for the page after %v; it says: %s", startLimit, chromium.said())
		case <-chromium.gone:
			return 0, fmt.Errorf("the browser has ended (%v); it says: %s", chromium.err, chromium.said())
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// ServeHTTP serves what the page needs, and takes what it tells.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	name := r.URL.Path
	if r.Method == http.MethodPost {
		s.told(name, r.Body)
		return
	}
	switch name {
	case "":
		select {
		case s.asked <- struct{}{}:
		default:
		}
		http.ServeFileFS(w, r, pages, "index.html")
	case "worker.js", "files.js":
		http.ServeFileFS(w, r, pages, name)
	case "wasm_exec.js":
		http.ServeFile(w, r, filepath.Join(s.config.Goroot, "lib", "wasm", name))
	case "guests.js":
		http.ServeFile(w, r, filepath.Join(s.config.Web, name))
	case "test.wasm":
		w.Header().Set("Content-Type", "application/wasm")
		w.Write(s.wasm)
	case "config.json":
		c := s.config
		json.NewEncoder(w).Encode(map[string]any{
			"argv": append([]string{filepath.Base(c.Wasm)}, c.Args...), "env": c.Env, "cwd": filepath.ToSlash(c.Dir), "files": c.Files,
		})
	case "bundle":
		for _, f := range s.config.Files {
			w.Write(f.data)
		}
	default:
		http.NotFound(w, r)
	}
}

// told takes what the page has posted.
func (s *server) told(name string, body io.Reader) {
	var e end
	switch name {
	case "out/1":
		io.Copy(s.config.Stdout, body)
		return
	case "out/2":
		io.Copy(s.config.Stderr, body)
		return
	case "exit":
		b, _ := io.ReadAll(io.LimitReader(body, 16))
		code, err := strconv.Atoi(string(b))
		e = end{code, err}
	case "fail":
		b, _ := io.ReadAll(io.LimitReader(body, 1<<20))
		e.err = errors.New("in the page: " + strings.TrimSpace(string(b)))
	default:
		return
	}
	select {
	case s.ended <- e:
	default: // the first one counts
	}
}

// Check says what is wrong with a Config's files.
func (c *Config) Check() error {
	total := 0
	seen := map[string]bool{}
	for _, f := range c.Files {
		total += f.Size
		if !strings.HasPrefix(f.Path, "/") || seen[f.Path] {
			return fmt.Errorf("file %q: its path is not absolute, or it is there twice", f.Path)
		}
		seen[f.Path] = true
	}
	if total > maxFiles {
		return fmt.Errorf("the tests' files have %d bytes, more than %d", total, maxFiles)
	}
	return nil
}

// tail is an io.Writer that keeps the last of what is written.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	const most = 8 << 10
	if t.Len() > most {
		t.Next(t.Len() - most/2)
	}
	return t.Buffer.Write(p[max(0, len(p)-most):])
}
