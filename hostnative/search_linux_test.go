package hostnative_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A PATH has a directory that this user may not search, as the one of another user who has begun
// all this. A name that is nowhere is not found, and one further behind is.
func TestResolveUnsearchable(t *testing.T) {
	root := tree(t)
	closed := t.TempDir()
	for dir, mode := range map[string]os.FileMode{filepath.Dir(root): 0o755, closed: 0} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	h := newHost(t, hostnative.Config{Shell: "/bin/sh"})
	if os.Getuid() == 0 {
		defer asSomebody(t)()
	}
	resolve := func(name string) error {
		_, err := h.Resolve(t.Context(), core.Command{
			Command: name, Args: []string{"x"}, Cwd: "/", Env: []core.EnvVariable{{Name: "PATH", Value: closed + ":" + root + "/bin"}},
		})
		return err
	}
	if err := resolve("nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it is not there", err)
	}
	if err := resolve("tool"); err != nil {
		t.Errorf("got %v, want the one that is in the next directory", err)
	}
}

// asSomebody has this goroutine, which root has begun, ask for files as a user who owns none, until
// back is called.
func asSomebody(t *testing.T) (back func()) {
	runtime.LockOSThread()
	if err := unix.Setfsuid(65534); err != nil {
		t.Skip(err)
	}
	return func() {
		unix.Setfsuid(0)
		runtime.UnlockOSThread()
	}
}
