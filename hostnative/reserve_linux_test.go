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
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
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

// listings counts how often a directory is listed, from now on (inotify(7)).
type listings struct{ file *os.File }

func watchListings(t *testing.T, dir string) listings {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Skip("NOT RUN: no inotify here: ", err)
	}
	l := listings{os.NewFile(uintptr(fd), "inotify")}
	t.Cleanup(func() { l.file.Close() })
	// What opens it comes between two ends, which would be one event otherwise.
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_OPEN|unix.IN_CLOSE_NOWRITE|unix.IN_ONLYDIR); err != nil {
		t.Fatal(err)
	}
	return l
}

// await returns when there were n more.
func (l listings) await(t *testing.T, n int) {
	t.Helper()
	l.file.SetReadDeadline(time.Now().Add(patience))
	for event := make([]byte, unix.SizeofInotifyEvent+unix.NAME_MAX+1); n > 0; {
		read, err := l.file.Read(event)
		if err != nil {
			t.Fatalf("%d listings are missing: %v", n, err)
		}
		for at := 0; at < read; {
			e := (*unix.InotifyEvent)(unsafe.Pointer(&event[at]))
			// Other events are of a file in the directory.
			if e.Mask&unix.IN_CLOSE_NOWRITE != 0 && e.Len == 0 {
				n--
			}
			at += unix.SizeofInotifyEvent + int(e.Len)
		}
	}
}

// A process that was started before it was known whose keeper it becomes hands over that session's
// directories and no other's, and what was new in the others by then, at that session's level. If
// it is killed before, the session has another keeper; it ends with its host.
func TestSandboxReserve(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	around := t.TempDir() // granted entry by entry
	hide, added := filepath.Join(around, "hide"), filepath.Join(around, "new")
	if err := os.WriteFile(hide, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxWorkspace, Required: true, Roots: []string{t.TempDir()}, Private: t.TempDir(), Hide: []string{hide},
	}})
	roots := map[core.SessionID]string{}
	for _, session := range []core.SessionID{"one", "two", "three", "four", "five", "six"} {
		roots[session] = t.TempDir()
	}
	// in runs a script in a session, which has the directories of the first two as $1 and $2, and
	// says the keeper.
	in := func(session core.SessionID, level hostnative.SandboxLevel, script string) (keeper int, out string) {
		t.Helper()
		c := line("exec 2>&1; echo $PPID; "+script, roots["one"], roots["two"])
		c.Cwd, c.Session, c.Roots = roots[session], session, []string{roots[session]}
		c.Bounds = &core.Bounds{Sandbox: string(level)}
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
	listed := watchListings(t, around)
	first, _ := in("one", hostnative.SandboxWorkspace, "")
	second, _ := in("two", hostnative.SandboxWorkspace, "")
	s, err := strays.ReadStat(first)
	if err != nil {
		t.Fatal(err)
	}
	above := s.Parent // not keeperOf: where a start takes long, the host has two
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
	listed.await(t, 3) // by two keepers, and by this one, which prepares
	keeper, out := in("three", hostnative.SandboxWorkspace, fmt.Sprintf(`echo x >mine || exit
		for other in "$1" "$2"; do ! echo x >"$other/theirs" || exit; done
		! cat %s`, hide))
	if keeper != next {
		t.Errorf("got the keeper %d, want %d, which was ready", keeper, next)
	}
	if strings.Contains(out, "secret") || strings.Count(out, "ermission denied") != 3 {
		t.Errorf("got %q", out)
	}
	for _, other := range []core.SessionID{"one", "two"} {
		if _, err := os.Lstat(filepath.Join(roots[other], "theirs")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v of what the directory of session %s has", err, other)
		}
	}

	next = ready()
	listed.await(t, 1) // what comes now is not in its rules
	if err := os.WriteFile(added, []byte("seen"), 0o600); err != nil {
		t.Fatal(err)
	}
	keeper, out = in("four", hostnative.SandboxWorkspace, fmt.Sprintf(`cat %s; ! cat %s`, added, hide))
	if keeper != next {
		t.Errorf("got the keeper %d, want %d, which was ready", keeper, next)
	}
	if !strings.Contains(out, "seen") || strings.Contains(out, "secret") {
		t.Errorf("got %q", out)
	}

	next = ready()
	keeper, out = in("five", hostnative.SandboxStrict, fmt.Sprintf(`echo x >mine || exit; ! cat %s`, added))
	if keeper != next {
		t.Errorf("got the keeper %d, want %d, which was ready", keeper, next)
	}
	if strings.Contains(out, "seen") || !strings.Contains(out, "ermission denied") {
		t.Errorf("got %q of a session that is confined more", out)
	}

	next = ready()
	if err := unix.Kill(next, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if keeper, out = in("six", hostnative.SandboxWorkspace, `echo alive`); out != "alive\n" || keeper == next {
		t.Errorf("got %q of the keeper %d, and %d was killed", out, keeper, next)
	}

	known = append(known, keeper)
	next = ready()
	h.Close()
	for late := time.Now().Add(patience); unix.Kill(next, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("what was ready to be a keeper has survived its host")
		}
	}
}
