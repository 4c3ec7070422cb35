package cache

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// again opens a cache as another process does.
func again(t *testing.T, c *Cache) *Cache {
	t.Helper()
	other, err := Open(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// What somebody has written who has not the key is not used, nor an entry in the
// place of another one, by this process or by the next.
func TestForged(t *testing.T) {
	forge := func(c *Cache, dir string) error { // has all but the key
		os.WriteFile(dir+"/more", []byte("evil"), 0o600)
		s, err := newSeal(make([]byte, keySize), keyOf("m").name(), dir)
		return errors.Join(err, os.WriteFile(filepath.Join(dir, sealFile), []byte(s.String()), 0o600))
	}
	for name, damage := range map[string]func(c *Cache, dir string) error{
		"sealed without the key": forge,
		"another's": func(c *Cache, dir string) error {
			return errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(filepath.Join(c.entries, keyOf("other").name()))))
		},
		"another's seal": func(c *Cache, dir string) error {
			b, err := os.ReadFile(filepath.Join(c.entries, keyOf("other").name(), sealFile))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, sealFile), b, 0o600))
		},
		"another salt": func(c *Cache, dir string) error {
			b, err := os.ReadFile(filepath.Join(dir, sealFile))
			b[0] ^= 1
			return errors.Join(err, os.WriteFile(filepath.Join(dir, sealFile), b, 0o600))
		},
		"short seal": func(c *Cache, dir string) error { return os.Truncate(filepath.Join(dir, sealFile), 10) },
		"another name": func(c *Cache, dir string) error {
			// By that link it can be changed.
			return os.Link(dir+"/more", filepath.Join(filepath.Dir(c.dir), "more"))
		},
		"another key": func(c *Cache, dir string) error {
			return os.WriteFile(filepath.Join(c.dir, keyFile), make([]byte, keySize), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t)
			fill(t, c, "other")
			dir := fill(t, c, "m")
			if err := damage(c, dir); err != nil {
				t.Fatal(err)
			}
			all := []*Cache{c, again(t, c)}
			if name == "another key" {
				all = all[1:] // the first has the old one
			}
			for _, c := range all {
				for range 2 { // it is as bad the second time
					if dir, err := c.Get(keyOf("m")); err == nil {
						t.Errorf("got %s, want an error", dir)
					}
				}
			}
			fill(t, all[0], "m")
		})
	}
}

// An entry is read once, and again when it has changed. A worker sees that too.
func TestChecksOnce(t *testing.T) {
	c := newCache(t)
	fill(t, c, "m")
	c = again(t, c)
	before, err := c.Find(keyOf("m"))
	if err != nil {
		t.Fatal(err)
	}
	c.key = nil // so that another check fails
	now, err := c.Find(keyOf("m"))
	if err != nil || now != before {
		t.Errorf("got %v, %v, want %v", now, err, before)
	}
	if err := before.Same(); err != nil {
		t.Error(err)
	}
	name := filepath.Join(before.Dir, "more")
	text, err := os.ReadFile(name)
	if err == nil {
		// The new file has the same text.
		err = errors.Join(os.Remove(name), os.WriteFile(name, text, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	if before.Same() == nil {
		t.Error("another file is the same")
	}
	if _, err := c.Find(keyOf("m")); err == nil {
		t.Error("another file was not checked")
	}
}

// The key is made once, for this user alone, and one that others may know is not
// used.
func TestCacheKey(t *testing.T) {
	c := newCache(t)
	name := filepath.Join(c.dir, keyFile)
	info, err := os.Stat(name)
	if err != nil || info.Mode() != 0o600 || info.Size() != keySize {
		t.Fatalf("got %v, %v, want 32 bytes with mode 0600", info, err)
	}
	if other := newCache(t); string(other.key) == string(c.key) {
		t.Error("two caches have one key")
	}
	if other := again(t, c); string(other.key) != string(c.key) {
		t.Errorf("got key %s, want %s", hex.EncodeToString(other.key), hex.EncodeToString(c.key))
	}
	for what, damage := range map[string]func() error{
		"mode 0644":    func() error { return os.Chmod(name, 0o644) },
		"mode 0620":    func() error { return os.Chmod(name, 0o620) },
		"short":        func() error { return os.Truncate(name, 5) },
		"long":         func() error { return os.Truncate(name, 50) },
		"another name": func() error { return os.Link(name, name+"2") },
		"directory":    func() error { return errors.Join(os.Remove(name), os.Mkdir(name, 0o700)) },
		"link":         func() error { return errors.Join(os.Remove(name), os.Symlink("/dev/zero", name)) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(c.dir); err == nil {
			t.Errorf("%s: got no error", what)
		}
		os.RemoveAll(name)
		os.RemoveAll(name + "2")
		if err := os.WriteFile(name, c.key, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "cache")
	var all sync.WaitGroup
	var mu sync.Mutex
	keys := make(map[string]bool)
	for range 8 {
		all.Go(func() {
			c, err := Open(dir)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			keys[string(c.key)] = true
		})
	}
	all.Wait()
	if len(keys) != 1 {
		t.Errorf("got %d keys, want one", len(keys))
	}
}

// What an image brings is used where nothing can be written, if the key is there.
func TestReadOnlyCache(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes anywhere")
	}
	c := newCache(t)
	fill(t, c, "m")
	for _, dir := range []string{c.entries, c.dir} {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
	}
	other := again(t, c)
	if _, err := other.Get(keyOf("m")); err != nil {
		t.Error(err)
	}
	if _, err := other.Stage(); err == nil {
		t.Error("Stage: got no error")
	}
	dir := t.TempDir() + "/empty"
	if err := errors.Join(os.Mkdir(dir, 0o500)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil {
		t.Error("no key, and none can be made: got no error")
	}
}

// A temporary cache's entries are nobody else's.
func TestTemporary(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var caches []*Cache
	for range 2 {
		c, err := Temporary(dir)
		if err != nil {
			t.Fatal(err)
		}
		caches = append(caches, c)
	}
	fill(t, caches[0], "m")
	if _, err := caches[1].Get(keyOf("m")); err == nil {
		t.Error("got another's entry")
	}
	if _, err := os.Stat(filepath.Join(dir, keyFile)); err == nil {
		t.Error("the key is in a file")
	}
}

// Whoever may write to a directory that leads to the cache may put another in
// its place.
func TestCheckPath(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	above, elsewhere := filepath.Join(top, "above"), filepath.Join(top, "elsewhere")
	dir := filepath.Join(above, "cache")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.MkdirAll(elsewhere, 0o700), os.Symlink(above, elsewhere+"/link")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		mode os.FileMode
		ok   bool
	}{{0o755, true}, {0o775, false}, {0o757, false}, {0o777, false}, {0o777 | os.ModeSticky, true}, {0o700, true}} {
		if err := os.Chmod(above, test.mode); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{dir, elsewhere + "/link/cache"} {
			_, err := Open(name)
			if (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "others may write to it") {
				t.Errorf("%s, mode %v: got %v, want well %v", name, test.mode, err, test.ok)
			}
		}
	}
	if err := os.Chmod(elsewhere, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(elsewhere + "/link/cache"); err == nil {
		t.Error("a link that others may replace: got no error")
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(above, 12345, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "another user") {
			t.Errorf("in another's directory: got %v, want an error", err)
		}
	}
}

// BenchmarkCheck checks an entry of 90 MB, as a host does once for each module.
func BenchmarkCheck(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "code"), make([]byte, 90e6), 0o600); err != nil {
		b.Fatal(err)
	}
	s, err := newSeal(make([]byte, keySize), "m", dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("check", func(b *testing.B) {
		b.SetBytes(90e6)
		for b.Loop() {
			if err := s.check(make([]byte, keySize), "m", dir); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("look", func(b *testing.B) {
		for b.Loop() {
			if _, err := look(dir); err != nil {
				b.Fatal(err)
			}
		}
	})
}
