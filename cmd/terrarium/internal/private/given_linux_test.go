package private_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
)

// TestReadGiven reads what root has given to a group of the reader's, as Kubernetes does with a
// Secret, and nothing that more may read or that somebody else has given.
func TestReadGiven(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: only root can give a file to a group")
	}
	const reader, group, extra, stranger = 65532, 65533, 65534, 65530
	t.Chdir(t.TempDir()) // names without directories, which the reader might not pass
	if err := os.Chmod(".", 0o755); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name     string
		uid, gid int
		mode     os.FileMode
		refused  string
	}{
		{"secret", 0, group, 0o440, ""},
		{"writable by root", 0, extra, 0o640, ""},
		{"own", reader, group, 0o400, ""},
		{"own, and a group's", reader, group, 0o440, "mode 0440: others may read or write it: chmod 600"},
		{"another user's, who may change it", stranger, group, 0o440, "mode 0440: others may read or write it"},
		{"a group may write it", 0, group, 0o460, "mode 0460: others may read or write it"},
		{"a group may run it", 0, group, 0o450, "mode 0450: others may read or write it"},
		{"everybody may read it", 0, group, 0o444, "mode 0444: others may read or write it"},
		{"everybody may read it, and not the group", 0, stranger, 0o404, "mode 0404: others may read or write it"},
		{"root's alone", 0, group, 0o400, "permission denied"},
		{"another group's", 0, stranger, 0o440, "permission denied"},
	}
	for _, c := range cases {
		if err := os.WriteFile(c.name, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(c.name, c.uid, c.gid); err != nil {
			t.Skip("NOT RUN: ", err) // root of a namespace with one user
		}
		if err := os.Chmod(c.name, c.mode); err != nil {
			t.Fatal(err)
		}
	}
	asUser(t, reader, group, []int{extra}, func() {
		for _, c := range cases {
			b, err := private.ReadGiven(c.name, 8)
			switch {
			case c.refused == "" && (err != nil || string(b) != "secret"):
				t.Errorf("%s: got %q, %v", c.name, b, err)
			case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("%s: got %q, %v, want %q", c.name, b, err, c.refused)
			}
		}
		if _, err := private.Read("secret", 8); err == nil || !strings.Contains(err.Error(), "others may read or write it") {
			t.Errorf("Read: got %v, want that it refuses what a group may read", err)
		}
	})
	// Whose own it is, root included, has to keep it from its group.
	if _, err := private.ReadGiven("secret", 8); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("root: got %v, want that others may read it", err)
	}
}

// asUser has f called by a thread of that user, which ends then. Other threads stay root's.
func asUser(t *testing.T, uid, gid int, groups []int, f func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked, so the thread ends with us
		err := becomeUser(uid, gid, groups)
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Skip("NOT RUN: ", err)
	}
}

// becomeUser changes the thread alone: the functions for it in package syscall change all threads.
func becomeUser(uid, gid int, groups []int) error {
	if err := unix.Setgroups(groups); err != nil { // a thread's
		return err
	}
	for _, call := range []struct{ number, id uintptr }{{unix.SYS_SETRESGID, uintptr(gid)}, {unix.SYS_SETRESUID, uintptr(uid)}} {
		if _, _, errno := unix.RawSyscall(call.number, call.id, call.id, call.id); errno != 0 {
			return errno
		}
	}
	return nil
}
