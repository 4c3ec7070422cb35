package cache

import (
	"os"
	"path/filepath"
	"testing"
)

// fill plays an engine: it writes one file to an entry and commits it.
func fill(t *testing.T, c *Cache, module string) (file string) {
	t.Helper()
	dir, err := c.Entry([]byte(module))
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "sub", "code")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("code of "+module), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Commit(dir); err != nil {
		t.Fatal(err)
	}
	return file
}

func newCache(t *testing.T) *Cache {
	t.Helper()
	c, err := Open(filepath.Join(t.TempDir(), "cache"), false)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An entry is used again only as it was written.
func TestCacheVerifies(t *testing.T) {
	for name, damage := range map[string]func(file string) error{
		"nothing":   func(string) error { return nil },
		"truncated": func(f string) error { return os.Truncate(f, 3) },
		"flipped":   func(f string) error { return os.WriteFile(f, []byte("Code of m"), 0o600) },
		"renamed":   func(f string) error { return os.Rename(f, f+"2") },
		"added":     func(f string) error { return os.WriteFile(f+"2", nil, 0o600) },
		"linked":    func(f string) error { return os.Symlink("/etc/passwd", f+"2") },
		"no sum":    func(f string) error { return os.Remove(filepath.Dir(filepath.Dir(f)) + sumSuffix) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t)
			file := fill(t, c, "m")
			if err := damage(file); err != nil {
				t.Fatal(err)
			}
			dir, err := c.Entry([]byte("m"))
			if err != nil {
				t.Fatal(err)
			}
			left, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := len(left) > 0, name == "nothing"; got != want {
				t.Errorf("kept: got %v, want %v", got, want)
			}
		})
	}
}

// A directory that others may write to is not used.
func TestCacheIsPrivate(t *testing.T) {
	for _, mode := range []os.FileMode{0o777, 0o770, 0o701} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, false); err == nil {
			t.Errorf("mode %o: got nil, want an error", mode)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(link, false); err == nil {
		t.Error("a link: got nil, want an error")
	}
}
