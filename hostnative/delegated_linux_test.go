package hostnative_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// withController skips a test where the kernel can't limit commands by a controller of cgroups.
func withController(t *testing.T, name string) {
	t.Helper()
	h := newHost(t, hostnative.Config{})
	// The keeper must not be in this program's cgroup when that is to have controllers.
	defer h.Close()
	if m := mechanism(t, h, name); !m.Used {
		t.Skip("NOT RUN: ", m.Detail)
	}
}

// A command that takes far more memory than it may, faster than anybody looks, never has it.
func TestMemoryAtOnce(t *testing.T) {
	withController(t, "limit memory at once")
	root := t.TempDir()
	for name, config := range map[string]hostnative.Config{
		"keeper": {}, "nokeeper": {NoKeeper: true},
		"sandbox": {Sandbox: hostnative.Sandbox{Level: hostnative.SandboxWorkspace, Roots: []string{root}, Private: t.TempDir()}},
	} {
		t.Run(name, func(t *testing.T) {
			if config.Sandbox.Level != "" {
				withRooms(t)
			}
			config.Limits.Memory = 64 << 20
			h := newHost(t, config)
			// tail keeps a line that does not end.
			c := line(`head -c 1073741824 /dev/zero | tail -n 1`)
			c.Cwd = root
			p := start(t, h, c)
			_, cgroup := p.(interface{ Place() (int, string) }).Place()
			out := watchOutput(p)
			exit := waitExit(t, p)
			if exit.Reason != core.ReasonMemory || exit.Status.Signal != "SIGKILL" {
				t.Errorf("got %+v, want %q", exit, core.ReasonMemory)
			}
			if got := out.output(); !strings.HasSuffix(got, "killed: it had more memory than 64 MiB\n") {
				t.Errorf("got %q", got)
			}
			if events, err := os.ReadFile(cgroup + "/memory.events"); err == nil && !strings.Contains(string(events), "oom_kill ") {
				t.Errorf("got %q, want the kernel to have killed it", events)
			}
		})
	}
}

// A limit of processes is each command's, also of commands that are confined.
func TestMaxProcessesOfEach(t *testing.T) {
	withController(t, "limit processes")
	root := t.TempDir()
	for name, config := range map[string]hostnative.Config{
		"keeper": {}, "nokeeper": {NoKeeper: true},
		"sandbox": {Sandbox: hostnative.Sandbox{Level: hostnative.SandboxWorkspace, Roots: []string{root}, Private: t.TempDir()}},
	} {
		t.Run(name, func(t *testing.T) {
			config.Limits.Processes = 50
			h := newHost(t, config)
			for range 2 {
				c := line(`i=0; while [ $i -lt 100 ]; do sleep 1000 >/dev/null 2>&1 & i=$((i+1)); echo $i; done; echo all`)
				c.Cwd = root
				out, _ := run(t, h, c)
				if !strings.Contains(out, "10\n") || strings.Contains(out, "all\n") {
					t.Errorf("got %q, want some processes, and not all", out)
				}
			}
		})
	}
}

// Where the kernel can't limit processes, there is no Host, and the error says what to do.
func TestMaxProcessesRefused(t *testing.T) {
	if m := mechanism(t, newHost(t, hostnative.Config{}), "limit processes"); m.Used {
		t.Skip("NOT RUN: it can be limited here")
	}
	_, err := hostnative.New(hostnative.Config{Limits: hostnative.Limits{Processes: 10}})
	if err == nil || !strings.Contains(fmt.Sprint(err), "processes") {
		t.Errorf("got %v, want it refused", err)
	}
}

// Who asks for a limit of processes if possible gets a Host either way, which says what it lacks
// and keeps to all else.
func TestMaxProcessesIfPossible(t *testing.T) {
	possible := mechanism(t, newHost(t, hostnative.Config{}), "limit processes").Used
	limits := hostnative.Limits{Processes: 50, ProcessesIfPossible: true, OpenFiles: 32}
	for _, c := range []struct {
		config hostnative.Config
		held   bool
	}{
		{hostnative.Config{Limits: limits}, possible},
		{hostnative.Config{Limits: limits, NoKeeper: true}, possible},
		{hostnative.Config{Limits: limits, NoCgroup: true}, false}, // which can't have it anywhere
	} {
		h := newHost(t, c.config)
		err := h.LimitsLack()
		if c.held != (err == nil) || err != nil && !strings.Contains(err.Error(), "processes") {
			t.Errorf("NoCgroup %t, NoKeeper %t: got %v, want a limit: %t", c.config.NoCgroup, c.config.NoKeeper, err, c.held)
		}
		// Without a keeper a command has begun before it is limited.
		if out, _ := run(t, h, line("while [ $(ulimit -n) != 32 ]; do sleep 0.01; done; ulimit -n")); out != "32\n" {
			t.Errorf("got %q open files, want 32", out)
		}
	}
	limits.ProcessesIfPossible = false
	if _, err := hostnative.New(hostnative.Config{Limits: limits, NoCgroup: true}); err == nil {
		t.Error("got a host without the limit that was demanded")
	}
}
