// Package cache keeps what engines have compiled.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// maxSize is how much a cache may take, in bytes. The entries that were used
// longest ago go first.
const maxSize = 2 << 30

// A Cache keeps compiled modules in a directory: for each a directory of its
// own, which the engine writes to, and beside it the sum of what that has. An
// engine runs what it finds; so an entry whose sum is missing or wrong, because
// somebody was interrupted or the disk has aged, is made anew. Programs may
// share the directory: whoever is last to write an entry has written all of it.
// Engines may not. It is safe for concurrent use.
type Cache struct {
	dir      string
	readOnly bool
}

// Open returns the cache in dir, which is made if it is not there. It checks
// that nobody but this user could have put something into it. If readOnly,
// nothing in it is changed from then on.
func Open(dir string, readOnly bool) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("compile cache: %w", err)
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("compile cache: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("compile cache: %s: not a directory", dir)
	case info.Mode().Perm()&0o077 != 0 || !ours(info):
		return nil, fmt.Errorf("compile cache: %s: others may use it: it must be yours, with mode 0700", dir)
	}
	return &Cache{dir, readOnly}, nil
}

// Entry returns the directory for a module, empty or with what was kept of it.
// Where the cache is only read, the first is engine.ErrNotCached.
func (c *Cache) Entry(wasm []byte) (string, error) {
	dir := c.dirOf(wasm)
	switch {
	case c.readOnly && valid(dir):
		return dir, nil
	case c.readOnly:
		return "", engine.ErrNotCached
	case valid(dir):
		now := time.Now()
		os.Chtimes(dir+sumSuffix, now, now) // for evict; an error means that it is not ours to keep
		return dir, nil
	}
	if err := c.remove(dir); err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// Has reports whether a module is kept. Nothing is changed.
func (c *Cache) Has(wasm []byte) bool { return valid(c.dirOf(wasm)) }

// dirOf returns the directory of a module's entry.
func (c *Cache) dirOf(wasm []byte) string {
	h := sha256.New()
	io.WriteString(h, version()+"\n")
	h.Write(wasm)
	return filepath.Join(c.dir, hex.EncodeToString(h.Sum(nil)))
}

// version is that of the engines: another one does not run what this one has
// compiled.
var version = sync.OnceValue(func() (versions string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if strings.HasPrefix(m.Path, "github.com/tetratelabs/wazero") || strings.Contains(m.Path, "/wasmtime-go/") {
			versions += m.Path + "@" + m.Version + " "
		}
	}
	return versions
})

// valid reports whether all of an entry is there, and nothing else.
func valid(dir string) bool {
	want, err := os.ReadFile(dir + sumSuffix)
	if err != nil {
		return false
	}
	got, err := sum(dir)
	return err == nil && bytes.Equal(got, want)
}

const sumSuffix = ".sum"

// Commit makes what the engine has written to an entry's directory valid.
func (c *Cache) Commit(dir string) error {
	if c.readOnly {
		return nil
	}
	if _, err := os.Stat(dir + sumSuffix); err == nil {
		return nil // it was
	}
	s, err := sum(dir)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(c.dir, "*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(s)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), dir+sumSuffix)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return c.evict()
}

// remove forgets an entry, its sum first: what is left is not valid.
func (c *Cache) remove(dir string) error {
	if err := os.Remove(dir + sumSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(dir)
}

// evict removes entries until the rest is within maxSize.
func (c *Cache) evict() error {
	type entry struct {
		dir  string
		size int64
		used time.Time
	}
	var entries []entry
	var total int64
	sums, err := filepath.Glob(filepath.Join(c.dir, "*"+sumSuffix))
	if err != nil {
		return err
	}
	for _, name := range sums {
		info, err := os.Stat(name)
		if err != nil {
			continue // somebody else has removed it
		}
		e := entry{dir: name[:len(name)-len(sumSuffix)], used: info.ModTime()}
		filepath.WalkDir(e.dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if info, err := d.Info(); err == nil {
					e.size += info.Size()
				}
			}
			return nil
		})
		total += e.size
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int { return a.used.Compare(b.used) })
	for _, e := range entries {
		if total <= maxSize {
			break
		}
		if err := c.remove(e.dir); err != nil {
			return err
		}
		total -= e.size
	}
	return nil
}

// sum returns the sum of the names and contents of all files below dir.
func sum(dir string) ([]byte, error) {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s: not a file", name)
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(h, "%q\n", name[len(dir):])
		_, err = io.Copy(h, f)
		return err
	})
	return hex.AppendEncode(nil, h.Sum(nil)), err
}
