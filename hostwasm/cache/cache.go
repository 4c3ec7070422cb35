// Package cache keeps what engines have compiled of modules, in a directory.
package cache

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
// written, and in it a seal. An engine runs what it finds as native code, so an
// entry that this cache's key has not sealed, or that is not as it was then, is
// as good as none. Programs may share a cache: an entry comes into being all at
// once, by a rename, and whoever is last wins. It is safe for concurrent use.
type Cache struct {
	dir     string
	entries string // a directory in it
	key     []byte

	mu      sync.Mutex        // held while an entry is checked
	checked map[string]string // the seal and what look says of entries that are well, by name
	bad     map[string]string // and of those that are not
}

// Open returns the cache in dir, which is made if it is not there, and so is its
// key. It checks that nobody but this user and root could have put something
// into it. A cache that can't be written to, in an image say, brings its key.
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
	if err := CheckPath(dir); err != nil {
		return nil, fmt.Errorf("compile cache: %w", err)
	}
	key, err := readKey(dir)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = makeKey(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("compile cache: %w", err)
	}
	c := with(dir, key)
	os.Mkdir(c.entries, 0o700) // it may be there, or Stage will fail
	return c, nil
}

// Temporary returns a cache that lasts as long as this process: nobody else has
// its key. dir is made, in a directory that is this user's alone.
func Temporary(dir string) (*Cache, error) {
	key := make([]byte, keySize)
	rand.Read(key)
	c := with(dir, key)
	if err := os.MkdirAll(c.entries, 0o700); err != nil {
		return nil, fmt.Errorf("compile cache: %w", err)
	}
	return c, nil
}

func with(dir string, key []byte) *Cache {
	return &Cache{
		dir: dir, entries: filepath.Join(dir, "entries"), key: key,
		checked: make(map[string]string), bad: make(map[string]string),
	}
}

// Dir returns the directory that the cache is in, and Entries the one where
// entries are, without the key.
func (c *Cache) Dir() string     { return c.dir }
func (c *Cache) Entries() string { return c.entries }

// Get returns the directory with what was kept, as it was written.
func (c *Cache) Get(k Key) (dir string, err error) {
	e, err := c.Find(k)
	return e.Dir, err
}

// An Entry is a directory that was checked, and what it looked like then.
type Entry struct{ Dir, State string }

// Same reports whether an entry looks as it did, which takes no key and next to
// no time.
func (e Entry) Same() error {
	state, err := look(e.Dir)
	if err == nil && state != e.State {
		err = fmt.Errorf("compile cache: %s has changed", e.Dir)
	}
	return err
}

// Find returns what was kept. It reads an entry once, and then again if it
// looks otherwise.
func (c *Cache) Find(k Key) (e Entry, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := k.name()
	for range findTries {
		var s seal
		if e, s, err = c.find(name); err == nil {
			return e, nil
		}
		// Another may have come in its place between two of the steps.
		if now, err := readSeal(filepath.Join(c.entries, name)); err != nil || now == s {
			break
		}
	}
	return Entry{}, err
}

// findTries is how often an entry may be replaced while it is looked for.
const findTries = 10

// find returns the entry of that name, and its seal if there is one.
func (c *Cache) find(name string) (e Entry, s seal, err error) {
	e.Dir = filepath.Join(c.entries, name)
	s, err = readSeal(e.Dir)
	if err == nil {
		e.State, err = look(e.Dir)
	}
	if err != nil {
		return e, s, err
	}
	seen := s.String() + e.State
	switch {
	case c.bad[name] == seen:
		return e, s, errNotAsWritten(e.Dir)
	case c.checked[name] != seen:
		if err := s.check(c.key, name, e.Dir); err != nil {
			c.bad[name] = seen
			return e, s, err
		}
		if err := e.Same(); err != nil { // somebody has changed it meanwhile
			return e, s, err
		}
		c.checked[name] = seen
	}
	now := time.Now()
	os.Chtimes(filepath.Join(e.Dir, sealFile), now, now) // others go before it
	return e, s, nil
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
	return os.MkdirTemp(c.entries, stagePrefix)
}

// Keep makes the directory an entry that Stage has returned and somebody has
// written, whom nobody has to trust but for what this module does when it
// runs. It must have ended. This seals it.
func (c *Cache) Keep(k Key, stage string) error {
	os.Remove(filepath.Join(stage, sealFile)) // it is ours to write
	state, err := look(stage)
	if err != nil {
		return err
	}
	s, err := newSeal(c.key, k.name(), stage)
	if err != nil {
		return err
	}
	if err := (Entry{stage, state}).Same(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(stage, sealFile), []byte(s.String()), 0o600); err != nil {
		return err
	}
	if err := c.put(k, stage); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checked[k.name()] = s.String() + state // or another's is there, which looks otherwise
	return nil
}

// put moves a stage to where its entry is looked for.
func (c *Cache) put(k Key, stage string) (err error) {
	dir := filepath.Join(c.entries, k.name())
	for range 3 {
		if err = os.Rename(stage, dir); err == nil {
			return c.evict()
		}
		// An entry is in its place: another writer's, or one that is damaged. Somebody who
		// has just been told that there is one is about to load it, and would find none if it
		// went before ours came.
		if exchange(stage, dir) == nil {
			os.RemoveAll(stage)
			return c.evict()
		}
		// Not every file system can do that. Moved away first, it is never seen with a part
		// missing.
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
	c.removeOld()
	dirs, err := os.ReadDir(c.entries)
	if err != nil {
		return err
	}
	for _, d := range dirs {
		dir := filepath.Join(c.entries, d.Name())
		if strings.HasPrefix(d.Name(), stagePrefix) {
			removeStale(dir, d)
			continue
		}
		if !isName(d.Name()) {
			continue // not ours
		}
		info, err := os.Lstat(filepath.Join(dir, sealFile))
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

// removeOld removes what earlier versions have left, which had no key, and kept
// entries where the directory of entries is now, and sums beside them.
func (c *Cache) removeOld() {
	dirs, _ := os.ReadDir(c.dir) // an error means that there is nothing to be removed
	for _, d := range dirs {
		if strings.HasPrefix(d.Name(), stagePrefix) || isName(strings.TrimSuffix(d.Name(), ".sum")) {
			removeStale(filepath.Join(c.dir, d.Name()), d)
		}
	}
}

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
