package hostnative_test

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// withRooms skips a test where confined commands have no cgroups of their own.
func withRooms(t *testing.T) {
	t.Helper()
	if m := mechanism(t, newHost(t, hostnative.Config{}), "cgroup"); !m.Used {
		t.Skip("NOT RUN: no cgroups: ", m.Detail)
	}
	if r := confine.Available(); !r.Notify || !r.GetFD {
		t.Skip("NOT RUN: this kernel lacks ", r.Missing)
	}
}

// A hider is known by nothing but its cgroup: it has a session of its own, no parent of
// ours, and no environment. It holds the FIFO $1 open.
const hider = `
setsid env -i sh -c 'trap "" HUP INT TERM
	exec 3>"$1" </dev/null >/dev/null 2>&1
	(env -i setsid sh -c "echo up >&3; while :; do sleep 1000; done" &)
' sh "$1" &
`

// Whatever a confined command hides, its end is the end of it, and of nothing else in its
// session: each has a cgroup of its own.
func TestSandboxRooms(t *testing.T) {
	withRooms(t)
	for name, end := range map[string]func(p driver.Process) error{
		"close": func(p driver.Process) error { return p.Close() },
		"kill":  func(p driver.Process) error { return p.Signal("SIGKILL") },
	} {
		t.Run(name, func(t *testing.T) {
			h, root := sandboxed(t, hostnative.SandboxWorkspace)
			inRoot := func(c core.Command) core.Command {
				c.Cwd = root
				return c
			}
			other := start(t, h, interactive(inRoot(line(`echo up; read x; echo alive`))))
			said := watchOutput(other)
			said.wait(t, "up")
			p, fifo := startDaemonIn(t, h, root, hider+`wait; sleep 1000`, inRoot)
			_, ours := p.(driver.Placer).Place()
			_, theirs := other.(driver.Placer).Place()
			if ours == "" || theirs == "" || ours == theirs {
				t.Errorf("got cgroups %q and %q, want two", ours, theirs)
			}
			if err := end(p); err != nil {
				t.Error(err)
			}
			fifo.SetReadDeadline(time.Now().Add(patience))
			if _, err := io.ReadAll(fifo); err != nil { // the hider's end
				t.Error(err)
			}
			if _, err := other.Write([]byte("go on\n")); err != nil {
				t.Error(err)
			}
			said.wait(t, "alive")
		})
	}
}

// A room that a command has left empty is the next one's, but for one whose processes were killed:
// there are kernels that kill what is started there.
func TestSandboxRoomAgain(t *testing.T) {
	withRooms(t)
	h, root := sandboxed(t, hostnative.SandboxWorkspace)
	// in returns the cgroup that a command was in.
	in := func(script string, end func(p driver.Process)) string {
		t.Helper()
		c := line(script)
		c.Cwd = root
		p := start(t, h, c)
		_, cgroup := p.(driver.Placer).Place()
		end(p)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		return cgroup
	}
	exits := func(want uint32) func(p driver.Process) {
		return func(p driver.Process) {
			t.Helper()
			if exit, err := p.Wait(); err != nil || exit.Status.ExitCode != want {
				t.Errorf("got %v, %v, want exit code %d", exit, err, want)
			}
		}
	}
	// While one has it, the next gets another. The session has a new keeper, and so new rooms, when
	// another program has made something beside the temporary directories: then it is tried again.
	var first, again, between string
	for range 20 {
		first = in("exit 3", exits(3))
		again = in("exit 4", func(p driver.Process) {
			between = in("exit 5", exits(5))
			exits(4)(p)
		})
		if again == first && between != first {
			break
		}
	}
	if again != first || between == first {
		t.Errorf("the second command is in %q, the one beside it in %q, want %q and another", again, between, first)
	}
	killed := in("sleep 1000", func(p driver.Process) {
		if err := p.Signal("SIGKILL"); err != nil {
			t.Error(err)
		}
	})
	if after := in("exit 6", exits(6)); after == killed {
		t.Errorf("a command is in %q, whose processes were killed", after)
	}
}

// Commands of a session have their own terminals, and can't open each other's.
func TestSandboxPtys(t *testing.T) {
	h, root := sandboxed(t, hostnative.SandboxWorkspace)
	on := func(script string) core.Command {
		c := line(script)
		c.Cwd = root
		return c
	}
	first := start(t, h, onPty(interactive(on(`readlink /proc/self/fd/1; echo x >"$(readlink /proc/self/fd/1)" && echo own; read x`))))
	said := watchOutput(first)
	said.wait(t, "own")
	path := strings.TrimSpace(strings.Split(said.output(), "\n")[0])
	if filepath.Dir(path) != "/dev/pts" {
		t.Fatalf("got %q, want a pseudo-terminal", said.output())
	}
	for _, how := range []string{`echo stolen >"$pty"`, `cat "$pty"`} {
		c := on(fmt.Sprintf("pty=%s\n%s", path, how))
		for _, m := range modes {
			if out, exit := run(t, h, m.mode(c)); exit.Status == (core.ExitStatus{}) || !strings.Contains(out, "ermission denied") {
				t.Errorf("%s: %s: got %v, %q, want it refused", m.name, how, exit.Status, out)
			}
		}
	}
}
