package hostnative_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// What only others than root are refused.
func TestRefusalsOfPermission(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // nobody may get there
		t.Fatal(err)
	}
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("#!/bin/sh\n"), 0); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, hostnative.Config{})
	for _, test := range []struct {
		c    core.Command
		text string
	}{
		{core.Command{Command: "true", Cwd: closed}, closed + ": permission denied (cwd)"},
		{core.Command{Command: closed + "/x", Args: []string{"x"}}, closed + "/x: permission denied"},
		{core.Command{Command: secret, Args: []string{"x"}}, secret + ": permission denied: not executable"},
	} {
		var err error
		asNobody(t, func() { err = refusal(h, test.c) })
		wantRefusal(t, err, test.text, "permission_denied", unix.EACCES)
	}
}

// asNobody runs f on a thread whose user may do nothing, if ours is root.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		_, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody)
		if errno != 0 {
			done <- errno
			return
		}
		f()
		done <- nil
	}()
	if err := <-done; err != nil {
		t.Skip(err)
	}
}
