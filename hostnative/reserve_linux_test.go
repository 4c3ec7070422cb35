package hostnative_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// childrenOf returns the children of a process, whichever of its threads has started them.
func childrenOf(t *testing.T, pid int) (list []int) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, _ := os.ReadFile(name) // of a thread that may have ended
		for _, word := range strings.Fields(string(b)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, child)
		}
	}
	return list
}

// A process that was started before it was known whose keeper it becomes hands over that session's
// directories and no other's, and what was new in the others by then. If it is killed before, the
// session has another keeper; it ends with its host.
func TestSandboxReserve(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	around := t.TempDir() // granted entry by entry
	hide := filepath.Join(around, "hide")
	if err := os.WriteFile(hide, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxWorkspace, Required: true, Roots: []string{t.TempDir()}, Private: t.TempDir(), Hide: []string{hide},
	}})
	roots := map[core.SessionID]string{}
	// in runs a script in a session, which has the directory before it as $1, and says the keeper.
	in := func(session, other core.SessionID, script string) (keeper int, out string) {
		t.Helper()
		if roots[session] == "" {
			roots[session] = t.TempDir()
		}
		c := line("exec 2>&1; echo $PPID; "+script, roots[other])
		c.Cwd, c.Session, c.Roots = roots[session], session, []string{roots[session]}
		all, exit := run(t, h, c)
		if exit.Status != (core.ExitStatus{}) {
			t.Errorf("session %s: got %v, %q", session, exit.Status, all)
		}
		pid, out, _ := strings.Cut(all, "\n")
		keeper, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatalf("session %s: got %q", session, all)
		}
		return keeper, out
	}
	first, _ := in("one", "", "")
	second, _ := in("two", "", "")
	above := keeperOf(t, h)
	known := []int{first, second}
	// ready waits for the process that is to become a keeper.
	ready := func() int {
		t.Helper()
		for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(time.Millisecond) {
			for _, pid := range childrenOf(t, above) {
				if !slices.Contains(known, pid) {
					known = append(known, pid)
					return pid
				}
			}
		}
		t.Fatal("no process is ready to be a keeper")
		return 0
	}
	next := ready()
	if err := os.WriteFile(filepath.Join(around, "new"), []byte("seen"), 0o600); err != nil {
		t.Fatal(err)
	}
	keeper, out := in("three", "one", fmt.Sprintf(`echo x >mine || exit; ! echo x >"$1/theirs" && cat %s; ! cat %s`, filepath.Join(around, "new"), hide))
	if keeper != next {
		t.Errorf("got the keeper %d, want %d, which was ready", keeper, next)
	}
	if !strings.Contains(out, "seen") || strings.Contains(out, "secret") || strings.Count(out, "ermission denied") != 2 {
		t.Errorf("got %q", out)
	}
	if _, err := os.Lstat(filepath.Join(roots["one"], "theirs")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v of what another session's directory has", err)
	}

	next = ready()
	if err := unix.Kill(next, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if keeper, out := in("four", "", `echo alive`); out != "alive\n" || keeper == next {
		t.Errorf("got %q of the keeper %d, and %d was killed", out, keeper, next)
	}

	next = ready()
	h.Close()
	for late := time.Now().Add(patience); unix.Kill(next, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("what was ready to be a keeper has survived its host")
		}
	}
}
