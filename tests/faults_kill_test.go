package tests

import (
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

var killFaults = []fault{
	{number: 33, name: "sigterm_ignored", config: core.Config{KillGrace: 50 * time.Millisecond}, test: func(t *faultTest) {
		id := t.create(t.sh(`trap '' TERM; echo ready; while :; do sleep 1000; done`))
		t.until(id, "ready\n")
		begin := time.Now()
		t.d.Terminal(id).Kill()
		exit := t.wait(id)
		t.wantStatus(exit, core.ExitStatus{Signal: "SIGKILL"})
		if took := time.Since(begin); took < 50*time.Millisecond || took > within {
			t.Errorf("killed after %v, want a grace of 50ms", took)
		}
		if exit.Reason != core.ReasonKilled {
			t.Errorf("got reason %q, want %q", exit.Reason, core.ReasonKilled)
		}
	}},
	{number: 34, name: "stopped", config: core.Config{KillGrace: time.Hour}, test: func(t *faultTest) {
		id := t.create(t.sh(`echo ready; kill -STOP $$; echo never`))
		t.until(id, "ready\n")
		t.d.Terminal(id).Kill()
		t.wantStatus(t.wait(id), core.ExitStatus{Signal: "SIGTERM"})
	}},
	{number: 37, name: "many_processes", test: func(t *faultTest) {
		id := t.create(t.sh(`trap '' TERM; for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5 6 7 8 9 10; do sleep 1000 & echo $!; done; done; echo ready; wait`))
		t.until(id, "ready\n")
		out, _ := t.d.Terminal(id).AppendOutput(nil)
		t.close() // which kills, after SIGTERM did not
		for _, pid := range strings.Fields(strings.TrimSuffix(string(out), "ready\n")) {
			t.gone(pid)
		}
	}, config: core.Config{KillGrace: -1}},
	{number: 39, name: "kill_at_any_time", config: core.Config{KeepTerminals: -1}, test: func(t *faultTest) {
		// During create: nothing has started, or what has started is dead.
		for range few(100) {
			term, err := t.d.Begin("s", core.Command{Command: "sleep", Args: []string{"1000"}, Pty: t.pty})
			if err != nil {
				t.Fatal(err)
			}
			if err := term.Kill(); err != nil && !errors.Is(err, core.ErrUnknownTerminal) {
				t.Errorf("kill: %v", err)
			}
			exit, err := term.Wait(t.ctx)
			switch {
			case errors.Is(err, core.ErrKilled), errors.Is(err, core.ErrUnknownTerminal):
			case err != nil || exit.Status.Signal != "SIGTERM":
				t.Errorf("got %v, %v, want %v or SIGTERM", exit.Status, err, core.ErrKilled)
			}
		}
		// After the exit, and twice.
		id := t.create(t.sh(`exit 5`))
		for range 3 {
			t.wantStatus(t.wait(id), core.ExitStatus{ExitCode: 5})
			if err := t.d.Terminal(id).Kill(); err != nil {
				t.Errorf("kill after exit: %v", err)
			}
		}
		t.d.Terminal(id).Release()
		if err := t.d.Terminal(id).Kill(); !errors.Is(err, core.ErrReleased) && !errors.Is(err, core.ErrUnknownTerminal) {
			t.Errorf("kill after release: got %v, want %v", err, core.ErrReleased)
		}
	}},
	{number: 41, name: "kill_races_exit", config: core.Config{KeepTerminals: -1}, test: func(t *faultTest) {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range few(600) / 4 {
					id := t.create(core.Command{Command: "/bin/true", Pty: t.pty})
					t.d.Terminal(id).Kill()
					exit := t.wait(id)
					if s := exit.Status; s != (core.ExitStatus{}) && s != (core.ExitStatus{Signal: "SIGTERM"}) {
						t.Errorf("got %v, want exit 0 or SIGTERM", s)
					}
					t.d.Terminal(id).Release()
				}
			})
		}
		all.Wait()
	}},
	{number: 43, name: "background_holds_output", test: func(t *faultTest) {
		begin := time.Now()
		id := t.create(t.sh(`trap '' HUP; sh -c 'echo $$; exec sleep 1000' & exit 3`))
		t.wantStatus(t.wait(id), core.ExitStatus{ExitCode: 3})
		if took := time.Since(begin); took > within {
			t.Errorf("got the exit after %v", took)
		}
		// It is ours until the release, and so is what it writes.
		t.until(id, "\n")
		out, _ := t.d.Terminal(id).AppendOutput(nil)
		pid := strings.TrimSpace(string(out))
		if !alive(pid) {
			t.Errorf("process %q: got nothing, want it to run until the release", pid)
		}
		t.d.Terminal(id).Release()
		t.gone(pid)
	}},
}
