package guard

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A command can change modes where it can't write. Whatever it closes, what it has changed is put
// back, and so it is after the next one.
func TestClosed(t *testing.T) {
	asNobody(t, func() {
		for _, closed := range []string{
			"root", "state", "state/lock", "state/areas", "state/kept",
			"state/areas/*", "state/areas/*/place", "state/areas/*/base", "state/areas/*/users", "state/areas/*/work",
		} {
			w := newWorld(t, "inner")
			guards := New(Config{State: w.state})
			for range 2 {
				u, err := guards.Begin(t.Context(), []string{w.path("inner")})
				if err != nil {
					t.Fatalf("%s closed before: %v", closed, err)
				}
				w.write("inner/.git/hooks/pre-commit", "evil")
				names, err := filepath.Glob(filepath.Join(filepath.Dir(w.state), closed))
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range names {
					if err := os.Chmod(name, 0); err != nil {
						t.Fatal(err)
					}
				}
				changes, err := u.End(t.Context())
				if err != nil || len(changes) != 1 || changes[0].Err != nil || changes[0].Kept == "" {
					t.Errorf("%s closed: got %v, %v", closed, changes, err)
				}
				os.Chmod(w.root, 0o700)
				w.wantFile("inner/.git/hooks/pre-commit", "")
			}
			guards.Close()
		}
	})
}

// asNobody runs f on a thread whose user has no rights to files of others, if ours is root.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	t.Setenv("TMPDIR", openDir(t))
	done := make(chan error)
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
			done <- errno
			return
		}
		f()
	}()
	if err := <-done; err != nil {
		t.Skip("NOT RUN: ", err)
	}
}

// openDir returns a directory that everybody may write.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "terrarium-")
	if err == nil {
		err = os.Chmod(dir, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
