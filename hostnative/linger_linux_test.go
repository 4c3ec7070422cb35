package hostnative_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/hostnative"
)

// What does not die in time is cleared away when it does: its zombie, and its
// cgroup.
func TestLateDeath(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits until Close has given up")
	}
	freeze, thaw := freezer(t)
	for _, who := range []string{"command", "child"} {
		t.Run(who, func(t *testing.T) {
			h := newHost(t, hostnative.Config{})
			parent := ownCgroup(t)
			run(t, h, line(`exit`))
			before := holding(t)
			p := start(t, h, line(`trap "" HUP; setsid sh -c 'echo child $$ end; exec sleep 1000' & echo command $$ end; wait`))
			w := watchOutput(p)
			w.wait(t, who)
			_, pid, _ := strings.Cut(w.output(), who+" ")
			pid, _, _ = strings.Cut(pid, " ")
			cgroup := parent + "/" + cgroupName(t, pid)
			freeze(t, pid)
			if err := p.Close(); err == nil {
				t.Error("got nil of a process that can't die, want an error")
			}
			if _, err := p.Wait(); err == nil {
				t.Error("Wait: got nil after Close, want an error")
			}
			h.Close() // so that it keeps no cgroup for the next command
			thaw(t)
			for late := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
				_, err := os.Stat(cgroup)
				if os.IsNotExist(err) && holding(t).children <= before.children {
					break
				}
				if time.Now().After(late) {
					t.Fatalf("after %v: %s: %v, holding %+v, before %+v", patience, cgroup, err, holding(t), before)
				}
			}
			checkHolding(t, before)
		})
	}
}

// cgroupName returns the last part of the version 2 cgroup of a process.
func cgroupName(t *testing.T, pid string) string {
	t.Helper()
	text, err := os.ReadFile("/proc/" + pid + "/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return filepath.Base(strings.TrimSpace(path))
		}
	}
	t.Fatalf("got no version 2 cgroup in %q", text)
	return ""
}

// freezer makes a version 1 freezer: of what is frozen there nothing dies, as
// of what is stuck in the kernel (that of version 2 does not keep SIGKILL off).
func freezer(t *testing.T) (freeze func(t *testing.T, pid string), thaw func(t *testing.T)) {
	t.Helper()
	dir := fmt.Sprintf("/sys/fs/cgroup/freezer/terrarium-test-%d", os.Getpid())
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skip(err)
	}
	write := func(t *testing.T, name, s string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0); err != nil {
			t.Error(err)
		}
	}
	// However this test ends, nothing stays frozen.
	guard := exec.Command("/bin/sh", "-c", `read x; cd "$1"; echo THAWED >freezer.state; cd /; until rmdir "$1"; do sleep 0.1; done`, "sh", dir)
	guard.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	alive, err := guard.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := guard.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		alive.Close()
		guard.Wait()
	})
	thaw = func(t *testing.T) { write(t, "freezer.state", "THAWED") }
	return func(t *testing.T, pid string) {
		write(t, "cgroup.procs", pid)
		write(t, "freezer.state", "FROZEN")
		for text := ""; text != "FROZEN\n"; { // FREEZING, until all are at rest
			b, err := os.ReadFile(filepath.Join(dir, "freezer.state"))
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
	}, thaw
}
