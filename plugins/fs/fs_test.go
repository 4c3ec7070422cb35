//go:build unix

package fs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/fs"
)

// TestNative is what the package does outside the sandbox; inside, TestModes of hostwasm uses it.
func TestNative(t *testing.T) {
	dir := t.TempDir()
	mode := func(name string) uint32 {
		t.Helper()
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := fs.Mode(info)
		if !ok {
			t.Errorf("%s: no mode", name)
		}
		return m
	}
	file, sub := filepath.Join(dir, "f"), filepath.Join(dir, "d")
	for range 2 { // the second time it is there
		f, err := fs.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if got := mode(file); got != 0o666 {
		t.Errorf("a file: got %o, want 666, whatever the umask", got)
	}
	if err := fs.Mkdir(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := fs.Chmod(sub, 0o1751); err != nil {
		t.Fatal(err)
	}
	if got := mode(sub); got != 0o1751 {
		t.Errorf("a directory: got %o, want 1751", got)
	}
	if err := fs.Chmod(filepath.Join(dir, "none"), 0o755); !os.IsNotExist(err) {
		t.Errorf("got %v for what is not there", err)
	}
	if err := fs.Lchtimes(file, time.Unix(1, 0), time.Unix(1, 0)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("times: got %v, want %v", err, errors.ErrUnsupported)
	}
	if fs.Umask()&^0o777 != 0 {
		t.Errorf("got the umask %o", fs.Umask())
	}
}
