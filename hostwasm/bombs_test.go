package hostwasm_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// What takes more and more of something ends at a limit, and the command
// learns of that.
func TestBombs(t *testing.T) { everywhere(t, testBombs) }

func testBombs(t *testing.T, on place) {
	checkLeaks(t)
	processes := 12
	if testing.Short() {
		processes = 5
	}
	limits := hostwasm.Limits{Processes: processes, OpenFiles: 40, Memory: 256 << 20}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"spawnbomb"}, fmt.Sprintf("%d spawn guest: Try again", processes-1)},
		{[]string{"treebomb"}, ""},
		{[]string{"pipebomb"}, "Too many open files"},
		{[]string{"orphan"}, ""},
		{[]string{"onebyte", "20000"}, strings.Repeat("1", 20000)},
	} {
		t.Run(test.args[0], func(t *testing.T) {
			h := on.host(t, hostwasm.Config{Limits: limits, Commands: map[string]*hostwasm.Module{"guest": guest, "echo": echo}})
			b := stand(t, h)
			got := run(t, h, command(test.args...))
			b.alive(t)
			if got.exit.Status != exitCode(0) || !strings.Contains(got.stdout, test.want) || got.stderr != "" {
				t.Errorf("got %v, %q, %q, want exit 0 and %q", got.exit.Status, got.stdout, got.stderr, test.want)
			}
		})
	}
}

// Arguments and variables that are too long are refused before anything runs.
func TestArgumentsTooLong(t *testing.T) { everywhere(t, testArgumentsTooLong) }

func testArgumentsTooLong(t *testing.T, on place) {
	if testing.Short() {
		t.Skip("nothing runs")
	}
	long := strings.Repeat("a", 2<<20)
	many := command(strings.Split(strings.Repeat("a ", 1<<20), " ")...)
	env := command("pwd")
	env.Env = []core.EnvVariable{{Name: "A", Value: long}}
	h := on.host(t, hostwasm.Config{})
	for name, c := range map[string]core.Command{"long": command("print", long), "many": many, "env": env} {
		e, err := h.Resolve(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		p, err := h.Start(context.Background(), e)
		if err == nil {
			p.Close()
		}
		if refused, ok := errors.AsType[*core.HostError](err); !ok || refused.Reason != "too_long" {
			t.Errorf("%s: got %v, want a refusal too_long", name, err)
		}
	}
}

// Whatever a command is doing, SIGKILL ends it, once.
func TestKillAnywhere(t *testing.T) { everywhere(t, testKillAnywhere) }

func testKillAnywhere(t *testing.T, on place) {
	checkLeaks(t)
	h := on.host(t, hostwasm.Config{Commands: map[string]*hostwasm.Module{"guest": guest, "echo": echo}})
	b := stand(t, h)
	for _, test := range []struct {
		state string
		c     core.Command
		ready string // what it writes when it is there
	}{
		{"starting", command("exit", "0"), ""},
		{"computing", command("spin"), "ready"},
		{"asleep", command("block"), "ready"},
		{"reading", core.Command{Command: "guest", Args: []string{"cat"}, Interactive: true}, ""},
		{"waiting for a child", command("tree"), "ready"},
		{"in a cycle of pipes", command("cycle"), "ready"},
	} {
		t.Run(test.state, func(t *testing.T) {
			p := launch(t, h, test.c)
			defer p.Close()
			ready, seen := make(chan struct{}), ""
			ended := make(chan struct{})
			go func() { // ends with Close
				defer close(ended)
				p.Output(func(_ uint8, out []byte) {
					before := strings.Contains(seen, test.ready)
					seen += string(out)
					if !before && strings.Contains(seen, test.ready) {
						close(ready)
					}
				})
			}()
			if test.ready != "" {
				<-ready
			}
			for range 2 {
				if err := p.Signal("SIGKILL"); err != nil {
					t.Errorf("Signal: got %v", err)
				}
			}
			got := wait(t, p)
			if want := killed; got.Status != want && (test.state != "starting" || got.Status != exitCode(0)) {
				t.Errorf("got %v, want %v", got.Status, want)
			}
			if again := wait(t, p); again != got {
				t.Errorf("a second Wait: got %v, want %v", again, got)
			}
			p.Close()
			<-ended
			b.alive(t)
		})
	}
	// One that writes where nobody reads.
	p := launch(t, h, command("flood"))
	p.Signal("SIGKILL")
	if got := wait(t, p); got.Status != killed {
		t.Errorf("writing: got %v, want %v", got.Status, killed)
	}
	p.Close()
}

// wait waits for the end of p, which must come soon.
func wait(t *testing.T, p interface{ Wait() (core.Exit, error) }) core.Exit {
	t.Helper()
	exits := make(chan core.Exit, 1)
	go func() { // ends with the guest
		exit, err := p.Wait()
		if err != nil {
			t.Errorf("Wait: %v", err)
		}
		exits <- exit
	}()
	select {
	case exit := <-exits:
		return exit
	case <-time.After(30 * time.Second):
		t.Fatal("it does not end")
	}
	return core.Exit{}
}

// A kill that comes while a command exits finds either, and never both.
func TestKillAndExit(t *testing.T) { everywhere(t, testKillAndExit) }

func testKillAndExit(t *testing.T, on place) {
	checkLeaks(t)
	h := on.host(t, hostwasm.Config{Commands: map[string]*hostwasm.Module{
		"exit": hostwasm.NewModule("exit", exits("fd_close", "(i32)->i32", I32(-1))),
	}})
	const badf = 8
	times := 200
	if on.worker {
		times = 20
	}
	for i := range times {
		p := launch(t, h, core.Command{Command: "exit", Args: []string{"x"}})
		for range i % 20 {
			runtime.Gosched()
		}
		p.Signal("SIGKILL")
		if got := wait(t, p); got.Status != killed && got.Status != exitCode(badf) {
			t.Errorf("got %v, want %v or %v", got.Status, killed, exitCode(badf))
		}
		p.Close()
	}
}
