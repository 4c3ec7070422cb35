package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// keyOf is the key of a module that is called so.
func keyOf(module string) (k Key) {
	copy(k.Module[:], module)
	return k
}

// write plays an engine: it writes one file, and one below a directory.
func write(dir, content string) error {
	sub := filepath.Join(dir, "sub")
	return errors.Join(os.Mkdir(sub, 0o700),
		os.WriteFile(filepath.Join(sub, "code"), []byte(content), 0o600),
		os.WriteFile(filepath.Join(dir, "more"), []byte(content), 0o600))
}

// fill puts an entry into c.
func fill(t *testing.T, c *Cache, module string) (dir string) {
	t.Helper()
	if err := c.Put(keyOf(module), func(dir string) error { return write(dir, "code of "+module) }); err != nil {
		t.Fatal(err)
	}
	dir, err := c.Get(keyOf(module))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func newCache(t *testing.T) *Cache {
	t.Helper()
	c, err := Open(filepath.Join(t.TempDir(), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An entry is used again only as it was written, and written again if it is not.
func TestVerifies(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"nothing":   func(string) error { return nil },
		"truncated": func(dir string) error { return os.Truncate(dir+"/more", 3) },
		"flipped":   func(dir string) error { return os.WriteFile(dir+"/more", []byte("Code of m"), 0o600) },
		"renamed":   func(dir string) error { return os.Rename(dir+"/more", dir+"/less") },
		"removed":   func(dir string) error { return os.Remove(dir + "/sub/code") },
		"added":     func(dir string) error { return os.WriteFile(dir+"/sub/2", nil, 0o600) },
		"linked":    func(dir string) error { return os.Symlink("/etc/passwd", dir+"/2") },
		"no sum":    func(dir string) error { return os.Remove(filepath.Join(dir, sealFile)) },
		"nothing in it": func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t)
			if err := damage(fill(t, c, "m")); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Get(keyOf("m")); (err == nil) != (name == "nothing") {
				t.Errorf("got %v", err)
			}
			fill(t, c, "m")
		})
	}
}

// What another engine, or another version of it, has compiled is not found.
func TestKey(t *testing.T) {
	c := newCache(t)
	fill(t, c, "m")
	other := keyOf("m")
	other.By = "another version"
	if dir, err := c.Get(other); err == nil {
		t.Errorf("got %s, want an error", dir)
	}
}

// A directory that others may write to is not used.
func TestIsPrivate(t *testing.T) {
	for _, mode := range []os.FileMode{0o777, 0o770, 0o701} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil {
			t.Errorf("mode %o: got nil, want an error", mode)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(link); err == nil {
		t.Error("a link: got nil, want an error")
	}
	c := newCache(t)
	if info, err := os.Stat(c.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a new one: got %v, %v, want mode 0700", info.Mode(), err)
	}
}

// Where nothing can be kept, modules are compiled all the same.
func TestUnwritable(t *testing.T) {
	c := newCache(t)
	if err := os.RemoveAll(c.dir); err != nil {
		t.Fatal(err)
	}
	dir := "?"
	if err := c.Put(keyOf("m"), func(d string) error { dir = d; return nil }); err != nil || dir != "" {
		t.Errorf("no directory: got %v, compiled to %q, want to none", err, dir)
	}
	var dirs []string
	full := errors.New("disk full")
	err := newCache(t).Put(keyOf("m"), func(d string) error {
		dirs = append(dirs, d)
		if d != "" {
			return full
		}
		return nil
	})
	if err != nil || len(dirs) != 2 || dirs[1] != "" {
		t.Errorf("no room: got %v, compiled to %q, want to one and to none", err, dirs)
	}
}

// Of many writers of one entry one wins at a time, and a reader sees the whole
// of somebody's, or none.
func TestConcurrentWriters(t *testing.T) {
	c := newCache(t)
	fill(t, c, "m")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 20 {
				if err := c.Put(keyOf("m"), func(dir string) error { return write(dir, fmt.Sprint(i, j)) }); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 50 {
				dir, err := c.Get(keyOf("m"))
				if err != nil {
					continue // between two of them
				}
				os.ReadFile(filepath.Join(dir, "more")) // may be gone, but is never half there
			}
		})
	}
	all.Wait()
	if _, err := c.Get(keyOf("m")); err != nil {
		t.Errorf("in the end: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(c.entries, stagePrefix+"*")); len(left) > 0 {
		t.Errorf("got %q left, want nothing", left)
	}
}

// An entry that is there stays there while others are put in its place: who starts a command has
// just been told of it, and would have to compile.
func TestNeverMissing(t *testing.T) {
	c := newCache(t)
	if err := exchange(fill(t, c, "a"), fill(t, c, "b")); err != nil {
		t.Skip("directories can't be exchanged here: ", err)
	}
	fill(t, c, "m")
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 100 {
				c.Put(keyOf("m"), func(dir string) error { return write(dir, "m") })
			}
		})
	}
	done := make(chan struct{})
	go func() { // ends with the writers
		writers.Wait()
		close(done)
	}()
	other := with(c.dir, c.key) // as another program has it
	for {
		select {
		case <-done:
			return
		default:
		}
		if _, err := other.Find(keyOf("m")); err != nil {
			t.Errorf("got %v, want an entry", err)
			<-done
			return
		}
	}
}

// What somebody has staged whom nobody trusts is kept only if it is a few files.
func TestKeep(t *testing.T) {
	for name, stage := range map[string]struct {
		write func(dir string) error
		kept  bool
	}{
		"files":     {func(dir string) error { return write(dir, "code") }, true},
		"own seal":  {func(dir string) error { return os.WriteFile(dir+"/seal", []byte("00000000 0\n"), 0o600) }, true},
		"seal link": {func(dir string) error { return os.Symlink("/nowhere/else", dir+"/seal") }, true},
		"seal dir":  {func(dir string) error { return os.MkdirAll(dir+"/seal/x", 0o700) }, false},
		"link":      {func(dir string) error { return os.Symlink("/etc/passwd", dir+"/code") }, false},
		"many": {func(dir string) error {
			for i := range maxEntries + 1 {
				if err := os.Mkdir(fmt.Sprint(dir, "/", i), 0o700); err != nil {
					return err
				}
			}
			return nil
		}, false},
		"large": {func(dir string) error {
			return errors.Join(os.WriteFile(dir+"/code", nil, 0o600), os.Truncate(dir+"/code", maxBytes+1))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "large" && testing.Short() {
				t.Skip("reads 2 GiB of nothing")
			}
			c := newCache(t)
			dir, err := c.Stage()
			if err != nil {
				t.Fatal(err)
			}
			if err := stage.write(dir); err != nil {
				t.Fatal(err)
			}
			if err := c.Keep(keyOf("m"), dir); (err == nil) != stage.kept {
				t.Errorf("Keep: got %v, want kept %v", err, stage.kept)
			}
			if _, err := c.Get(keyOf("m")); (err == nil) != stage.kept {
				t.Errorf("Get: got %v, want kept %v", err, stage.kept)
			}
		})
	}
}

// The entries that were used longest ago go first, and what somebody has left
// half done goes when it is old, as what an earlier version has left.
func TestEvict(t *testing.T) {
	c := newCache(t)
	for _, m := range []string{"a", "b", "c"} {
		dir := fill(t, c, m)
		if err := os.Truncate(filepath.Join(dir, "more"), maxSize*2/5); err != nil { // sparse
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * staleStage)
	if err := os.Chtimes(filepath.Join(c.entries, keyOf("c").name(), sealFile), long, long); err != nil {
		t.Fatal(err)
	}
	stale, fresh, foreign := filepath.Join(c.entries, "stage-1"), filepath.Join(c.entries, "stage-2"), filepath.Join(c.entries, "foreign")
	rest, begun := filepath.Join(c.entries, keyOf("d").name()), filepath.Join(c.entries, keyOf("e").name())
	old := filepath.Join(c.dir, keyOf("f").name()) // without a key
	for _, dir := range []string{stale, fresh, foreign, rest, begun, old} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{stale, foreign, rest, old} {
		if err := os.Chtimes(dir, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.evict(); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{
		filepath.Join(c.entries, keyOf("a").name()): true,
		filepath.Join(c.entries, keyOf("b").name()): true,
		filepath.Join(c.entries, keyOf("c").name()): false,
		stale: false, fresh: true, foreign: true, rest: false, begun: true, old: false,
	} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: got %v, want kept %v", filepath.Base(dir), err, want)
		}
	}
}
