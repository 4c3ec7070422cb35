// Package cache keeps what engines have compiled of modules, in a directory.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Key is what compiled code depends on.
type Key struct {
	Module [sha256.Size]byte // the sum of the module
	By     string            // what compiles it, and how
}

// name is that of the entry's directory.
func (k Key) name() string {
	h := sha256.New()
	h.Write(k.Module[:])
	io.WriteString(h, k.By)
	return hex.EncodeToString(h.Sum(nil))
}

// maxSize is how much a cache may take, in bytes. The entries that were used
// longest ago go first.
const maxSize = 2 << 30

// A Cache keeps compiled modules: for each a directory that an engine has
// written, and in it the sum of the rest. An engine runs what it finds, so an
// entry that is not as it was written, because the disk has aged, is as good as
// none. Programs may share a cache: an entry comes into being all at once, by a
// rename, and whoever is last wins. It is safe for concurrent use.
type Cache struct {
	dir      string
	readOnly bool
}

// Open returns the cache in dir, which is made if it is not there. It checks
// that nobody but this user could have put something into it.
func Open(dir string) (*Cache, error) {
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
	return &Cache{dir: dir}, nil
}

// OpenToRead returns the cache in dir for somebody who may not change it, and
// whom somebody else has told that it is as Open wants it.
func OpenToRead(dir string) *Cache { return &Cache{dir: dir, readOnly: true} }

// Dir returns the directory that the cache is in.
func (c *Cache) Dir() string { return c.dir }

// Get returns the directory with what was kept, as it was written.
func (c *Cache) Get(k Key) (dir string, err error) {
	dir = filepath.Join(c.dir, k.name())
	want, err := os.ReadFile(filepath.Join(dir, sumFile))
	if err != nil {
		return "", err
	}
	got, err := sum(dir)
	switch {
	case err != nil:
		return "", err
	case got != string(want):
		return "", fmt.Errorf("compile cache: %s is damaged", dir)
	}
	c.Touch(k)
	return dir, nil
}

// Touch says that an entry is in use: others go before it.
func (c *Cache) Touch(k Key) {
	if now := time.Now(); !c.readOnly {
		os.Chtimes(filepath.Join(c.dir, k.name(), sumFile), now, now) // it may have gone
	}
}

// Put keeps what compile writes to the directory that it is handed, which is
// empty and nobody else's. Where that can't be, compile is called with none.
// The error is compile's.
func (c *Cache) Put(k Key, compile func(dir string) error) error {
	stage, err := c.Stage()
	if err != nil {
		return compile("")
	}
	defer os.RemoveAll(stage) // unless it has become an entry
	if err := compile(stage); err != nil {
		return compile("") // perhaps the disk is full
	}
	_ = c.Keep(k, stage) // what can't be kept is compiled again
	return nil
}

// stagePrefix begins the names of directories that are no entries yet, and
// staleStage is when they never become any: somebody was interrupted.
const (
	stagePrefix = "stage-"
	staleStage  = time.Hour
)

// Stage returns an empty directory for Keep. Whoever does not keep it removes it.
func (c *Cache) Stage() (dir string, err error) {
	if c.readOnly {
		return "", fs.ErrPermission
	}
	return os.MkdirTemp(c.dir, stagePrefix)
}

// Keep makes the directory an entry that Stage has returned and somebody has
// written, whom nobody has to trust but for what this module does when it
// runs. It must have ended.
func (c *Cache) Keep(k Key, stage string) error {
	os.Remove(filepath.Join(stage, sumFile)) // it is ours to write
	s, err := sum(stage)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(stage, sumFile), []byte(s), 0o600); err != nil {
		return err
	}
	dir := filepath.Join(c.dir, k.name())
	for range 3 {
		if err = os.Rename(stage, dir); err == nil {
			return c.evict()
		}
		// An entry is in its place: another writer's, or one that is damaged.
		// Moved away first, it is never seen with a part missing.
		old, err := c.Stage()
		if err != nil {
			return err
		}
		os.Rename(dir, filepath.Join(old, "old"))
		os.RemoveAll(old)
	}
	// Whoever moves an entry away tries once more to put one there. If we gave
	// up right after the third move, we would leave nothing where another
	// writer had just put a whole entry. If this rename fails, such an entry is
	// there, and stays.
	if err = os.Rename(stage, dir); err != nil {
		return err
	}
	return c.evict()
}

// evict removes entries until the rest is within maxSize, and what was left
// half done.
func (c *Cache) evict() error {
	type entry struct {
		dir  string
		size int64
		used time.Time
	}
	var entries []entry
	var total int64
	dirs, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	for _, d := range dirs {
		dir := filepath.Join(c.dir, d.Name())
		if strings.HasPrefix(d.Name(), stagePrefix) {
			removeStale(dir, d)
			continue
		}
		if name := strings.TrimSuffix(d.Name(), oldSuffix); !isName(name) {
			continue // not ours
		}
		info, err := os.Stat(filepath.Join(dir, sumFile))
		if err != nil {
			removeStale(dir, d) // what is left of an entry
			continue
		}
		e := entry{dir: dir, used: info.ModTime()}
		filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
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
		if err := os.RemoveAll(e.dir); err != nil {
			return err
		}
		total -= e.size
	}
	return nil
}

// oldSuffix ended the names of sums when they were beside their entries, which had
// the names that they have now.
const oldSuffix = ".sum"

// isName reports whether an entry can be called so.
func isName(name string) bool {
	sum, err := hex.DecodeString(name)
	return err == nil && len(sum) == sha256.Size
}

// removeStale removes what nobody is about to make an entry of any longer, or to
// remove.
func removeStale(name string, d fs.DirEntry) {
	if info, err := d.Info(); err == nil && time.Since(info.ModTime()) > staleStage {
		os.RemoveAll(name)
	}
}

// sumFile has the sum of all other files in an entry.
const sumFile = "sum"

// What an entry may have, which is more than any engine writes.
const (
	maxEntries = 16 // files and directories
	maxBytes   = maxSize
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum returns the sum of the names and contents of all files below dir, but of
// the sum itself. It is one against decay: whoever may write here may as well
// write code, and the sum to it.
func sum(dir string) (string, error) {
	h := crc32.New(castagnoli)
	var entries, bytes int64
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		below := name[len(dir):]
		if err != nil || below == "" || below == string(filepath.Separator)+sumFile {
			return err
		}
		if entries++; entries > maxEntries {
			return fmt.Errorf("%s: more than %d files", dir, maxEntries)
		}
		if d.IsDir() {
			return nil
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s: not a file", name)
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(h, "%q\n", below)
		n, err := io.Copy(h, io.LimitReader(f, maxBytes-bytes+1))
		if bytes += n; err == nil && bytes > maxBytes {
			err = fmt.Errorf("%s: more than %d bytes", dir, int64(maxBytes))
		}
		return err
	})
	return fmt.Sprintf("%08x %d\n", h.Sum32(), bytes), err
}
