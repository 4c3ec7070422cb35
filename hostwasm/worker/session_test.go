//go:build linux || darwin

package worker_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// /tmp is a session's own, and stays from one command to the next, up to its limit.
func TestScratch(t *testing.T) {
	base := t.TempDir()
	h := newHost(t, worker.Config{TmpDir: base, Limits: hostwasm.Limits{Scratch: 4 << 10}})
	call := func(session core.SessionID, args ...string) result {
		c := command(args...)
		c.Session = session
		return run(t, h, c)
	}
	if got := call("a", "write", "/tmp/note", "mine"); got.exit.Status != (core.ExitStatus{}) {
		t.Fatalf("got %v, %s", got.exit.Status, got.stderr)
	}
	if got, want := call("a", "read", "/tmp/note").stdout, "mine"; got != want {
		t.Errorf("same session: got %q, want %q", got, want)
	}
	if got, want := call("b", "ls", "/tmp").stdout, ""; got != want {
		t.Errorf("another session: got %q, want %q", got, want)
	}
	if got := call("a", "write", "/tmp/more", "12345"); got.exit.Status == (core.ExitStatus{}) {
		t.Errorf("two files, and a block: got %v, want a failure", got.exit.Status)
	}
	h.Close()
	if left, err := os.ReadDir(base); err != nil || len(left) != 0 {
		t.Errorf("after Close: got %v, %v, want nothing", left, err)
	}
}

// All sessions together have a limit too. One that runs no command loses its
// /tmp to another that needs it; one that does keeps it.
func TestScratchTogether(t *testing.T) {
	h := newHost(t, worker.Config{Pool: -1, Scratch: 5 << 12, Limits: hostwasm.Limits{Scratch: 3 << 12}})
	call := func(session core.SessionID, args ...string) core.Command {
		c := command(args...)
		c.Session = session
		return c
	}
	text := strings.Repeat("x", 10_000)
	write := func(session core.SessionID, want bool) {
		t.Helper()
		if got := run(t, h, call(session, "write", "/tmp/note", text)); (got.exit.Status == core.ExitStatus{}) != want {
			t.Errorf("%s: got %v, %q, want success %v", session, got.exit.Status, got.stderr, want)
		}
	}
	write("a", true)
	write("a", true) // in its place
	busy := start(t, h, call("a", "block"))
	write("b", false)
	if got := run(t, h, call("a", "read", "/tmp/note")).stdout; got != text {
		t.Errorf("a: got %d bytes, want %d", len(got), len(text))
	}
	busy.Close()
	h.AwaitIdleSessions(t) // its end is noted a little later
	write("b", true)
	if got := run(t, h, call("a", "ls", "/tmp")).stdout; got != "" {
		t.Errorf("a, afterwards: got %q, want nothing", got)
	}
}

func TestLimits(t *testing.T) { onEachEngine(t, testLimits) }

func testLimits(t *testing.T, engine string) {
	for _, test := range []struct {
		name   string
		limits hostwasm.Limits
		args   []string
		reason core.Reason
	}{
		{"fuel", hostwasm.Limits{Fuel: 50e6}, []string{"spin"}, core.ReasonFuel},
		{"wall", hostwasm.Limits{Wall: 100 * time.Millisecond}, []string{"spin"}, core.ReasonTimeout},
		{"output", hostwasm.Limits{Output: 1 << 20}, []string{"flood"}, core.ReasonOutput},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, newHost(t, worker.Config{Engine: engine, Pool: -1, Limits: test.limits}), command(test.args...))
			want := core.Exit{Status: core.ExitStatus{Signal: "SIGKILL"}, Reason: test.reason}
			if got.exit.Status != want.Status || got.exit.Reason != want.Reason {
				t.Errorf("got %v %q, want %v %q", got.exit.Status, got.exit.Reason, want.Status, want.Reason)
			}
		})
	}
}

// A command in a worker knows its terminal: the size, and each that it gets, and
// the modes, which its host learns of.
func TestTerminal(t *testing.T) { onEachEngine(t, testTerminal) }

func testTerminal(t *testing.T, engine string) {
	worker.SetLookLimit(t, patience)
	c := command("terminal", "6", "1") // ECHO and ISIG
	c.Pty, c.Interactive, c.Rows, c.Cols = true, true, 50, 200
	p := start(t, newHost(t, worker.Config{Engine: engine}), c)
	output := make(chan string, 100)
	go p.Output(func(_ uint8, b []byte) { output <- string(b) }) // ends with the command
	shown, overdue := "", time.After(30*time.Second)
	await := func(want string) {
		t.Helper()
		for !strings.Contains(shown, want) {
			select {
			case b := <-output:
				shown += b
			case <-overdue:
				t.Fatalf("got %q and no more, want %q", shown, want)
			}
		}
	}
	await("200x50 6\n")
	if !p.(interface{ Raw() bool }).Raw() {
		t.Error("the host does not know that the command gets keys")
	}
	if err := p.Resize(10, 20); err != nil {
		t.Fatal(err)
	}
	await("20x10 6\n")
	p.Write([]byte("q"))
	await("q\"q\" <nil>\n")
	if exit, err := p.Wait(); err != nil || exit.Status != (core.ExitStatus{}) {
		t.Errorf("got %v, %v, want status 0", exit, err)
	}
}

// What one guest makes of memory and time harms no other.
func TestBombs(t *testing.T) { onEachEngine(t, testBombs) }

func testBombs(t *testing.T, engine string) {
	h := newHost(t, worker.Config{Engine: engine, Limits: hostwasm.Limits{Fuel: 3e9, Memory: 128 << 20}, Memory: 256 << 20})
	c := command("cat")
	c.Interactive = true
	cat := start(t, h, c)
	if got := run(t, h, command("spin")); got.exit.Reason != core.ReasonFuel {
		t.Errorf("spin: got %+v, want %s", got.exit, core.ReasonFuel)
	}
	got := run(t, h, command("grow"))
	if got.exit.Reason != core.ReasonMemory || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "out of memory") {
		t.Errorf("grow: got %v %q, %q, want the reason memory, and a line that says so", got.exit.Status, got.exit.Reason, got.stderr)
	}
	if got, limit := got.exit.Usage.MaxRSS, int64(128<<20); got > limit || got < limit/2 {
		t.Errorf("grow: got %d bytes used, want at most %d and half of it at least", got, limit)
	}
	go func() {
		cat.Write([]byte("alive"))
		cat.CloseInput()
	}()
	var out strings.Builder
	cat.Output(func(_ uint8, b []byte) { out.Write(b) })
	if exit, err := cat.Wait(); out.String() != "alive" || err != nil || exit.Status != (core.ExitStatus{}) {
		t.Errorf("cat: got %q, %+v, %v, want alive", out.String(), exit, err)
	}
}

// Where there is no memory for one more command, it is refused.
func TestNoMemory(t *testing.T) {
	h := newHost(t, worker.Config{Pool: -1, Memory: 64 << 20})
	first := start(t, h, command("block"))
	start(t, h, command("block"))
	e, err := h.Resolve(context.Background(), command("block"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Start(context.Background(), e)
	if refused, ok := errors.AsType[*core.HostError](err); !ok || refused.Reason != "no_resources" {
		t.Errorf("got %v, want no_resources", err)
	}
	first.Close()
	run(t, h, command("exit", "0"))
}

// A module is compiled once, before or when it is first run.
func TestCompileOnce(t *testing.T) { onEachEngine(t, testCompileOnce) }

func testCompileOnce(t *testing.T, engine string) {
	var compiled atomic.Int64
	c := worker.Config{
		Engine:   engine,
		CacheDir: t.TempDir() + "/cache",
		Compiling: func(string, int) func() {
			compiled.Add(1)
			return nil
		},
	}
	h := newHost(t, c)
	if err := h.Prepare(context.Background(), "small"); err != nil {
		t.Fatal(err)
	}
	run(t, h, core.Command{Command: "small"})
	run(t, newHost(t, c), core.Command{Command: "small"})
	if got := compiled.Load(); got != 1 {
		t.Errorf("got %d compilations, want 1", got)
	}
	if err := h.Prepare(context.Background(), "other"); err == nil {
		t.Error("Prepare of no command: got no error")
	}
}
