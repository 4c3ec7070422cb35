package hostwasm_test

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// result is what a command did.
type result struct {
	stdout, stderr string
	exit           core.Exit
}

// launch starts c.
func launch(t testing.TB, h driver.Host, c core.Command) driver.Process {
	t.Helper()
	ctx := context.Background()
	e, err := h.Resolve(ctx, c)
	if err != nil {
		t.Fatalf("Resolve: %v", err)
	}
	p, err := h.Start(ctx, e)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	return p
}

// run runs c to its end.
func run(t testing.TB, h driver.Host, c core.Command) result {
	t.Helper()
	p := launch(t, h, c)
	defer p.Close()
	overdue := time.AfterFunc(10*time.Minute, func() { p.Close() })
	defer overdue.Stop()
	var streams [3]bytes.Buffer
	if err := p.Output(func(stream uint8, b []byte) { streams[stream].Write(b) }); err != nil {
		t.Errorf("Output: %v", err)
	}
	exit, err := p.Wait()
	if err != nil {
		t.Errorf("Wait: %v", err)
	}
	return result{streams[1].String(), streams[2].String(), exit}
}

func TestSpawn(t *testing.T) { onEachEngine(t, testSpawn) }

func testSpawn(t *testing.T, on backend) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "guest", "exit", "7"}, "0 7 7 true\n"},
		{[]string{"run", "guest", "print", "a b", ""}, "a b\n\n0 0 0 true\n"},
		{[]string{"run", "guest", "run", "guest", "exit", "3"}, "0 3 3 true\n0 0 0 true\n"},
		{[]string{"pipeline", "1000000"}, "1000000\n0 0\n"},
	} {
		got := run(t, newHost(t, on, hostwasm.Config{}), command(test.args...))
		if got.stdout != test.want || got.stderr != "" {
			t.Errorf("%q: got %q, %q, want %q", test.args, got.stdout, got.stderr, test.want)
		}
	}
}

// A child draws from the same account as its parent, which learns how it ended.
func TestSpawnOutOfFuel(t *testing.T) { onEachEngine(t, testSpawnOutOfFuel) }

func testSpawnOutOfFuel(t *testing.T, on backend) {
	h := newHost(t, on, hostwasm.Config{Limits: hostwasm.Limits{Fuel: 100e6}})
	got := run(t, h, command("run", "guest", "spin"))
	if want := "ready\n3 1 137 true\n"; got.stdout != want {
		t.Errorf("got %q, want %q", got.stdout, want)
	}
}

// Compiling what a command starts takes none of its time.
func TestCompilingIsNotWall(t *testing.T) { onEachEngine(t, testCompilingIsNotWall) }

func testCompilingIsNotWall(t *testing.T, on backend) {
	// On a busy machine the guests themselves may take longer than a short wall. If compiling
	// counted, they would take longer than any.
	for wall := 2 * time.Second; ; wall *= 4 {
		got := runCompiling(t, on, wall)
		if got.exit.Reason == core.ReasonTimeout && wall < 30*time.Second {
			continue
		}
		if want := "0 0 "; got.exit.Reason != "" || !strings.Contains(got.stdout, want) {
			t.Errorf("got %v %q, %q, want %q", got.exit.Status, got.exit.Reason, got.stdout, want)
		}
		return
	}
}

// runCompiling runs a command that may take as long as wall, and starts one whose module takes
// longer to compile.
func runCompiling(t *testing.T, on backend, wall time.Duration) result {
	t.Helper()
	// No cache has it yet.
	module := hostileCommand("", I64(time.Now().UnixNano()), Op(Drop))
	var compiled atomic.Bool
	h := newHost(t, on, hostwasm.Config{
		Limits: hostwasm.Limits{Wall: wall},
		Commands: map[string]*hostwasm.Module{
			"guest": guest, "three": hostwasm.NewModule("three", module),
		},
		Compiling: func(name string, _ int) (done func()) {
			if name == "three" {
				<-time.After(wall + wall/2)
				compiled.Store(true)
			}
			return nil
		},
	})
	got := run(t, h, command("run", "three"))
	if got.exit.Reason == "" && !compiled.Load() {
		t.Error("it was not compiled")
	}
	return got
}

// A child of a child of … ends at eight generations.
func TestSpawnDepth(t *testing.T) { onEachEngine(t, testSpawnDepth) }

func testSpawnDepth(t *testing.T, on backend) {
	var args []string
	for range 12 {
		args = append(args, "run", "guest")
	}
	got := run(t, newHost(t, on, hostwasm.Config{}), command(append(args, "exit", "0")...))
	if want := "run: spawn guest: "; !strings.Contains(got.stderr, want) {
		t.Errorf("got %q, want %q in it", got.stderr, want)
	}
}

func TestLimits(t *testing.T) { everywhere(t, testLimits) }

func testLimits(t *testing.T, on place) {
	for _, test := range []struct {
		name   string
		limits hostwasm.Limits
		args   []string
		reason core.Reason
	}{
		{"fuel", hostwasm.Limits{Fuel: 50e6}, []string{"spin"}, core.ReasonFuel},
		{"wall", hostwasm.Limits{Wall: 100 * time.Millisecond}, []string{"spin"}, core.ReasonTimeout},
		{"wall asleep", hostwasm.Limits{Wall: 100 * time.Millisecond}, []string{"block"}, core.ReasonTimeout},
		{"output", hostwasm.Limits{Output: 1 << 20}, []string{"flood"}, core.ReasonOutput},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, on.host(t, hostwasm.Config{Limits: test.limits}), command(test.args...))
			want := core.Exit{Status: core.ExitStatus{Signal: "SIGKILL"}, Reason: test.reason}
			if got.exit.Status != want.Status || got.exit.Reason != want.Reason {
				t.Errorf("got %v %q, want %v %q", got.exit.Status, got.exit.Reason, want.Status, want.Reason)
			}
		})
	}
}

// Memory that is refused is the guest's to deal with; a program in Go ends there: its runtime would
// write pages about its goroutines, and exit.
func TestMemoryLimit(t *testing.T) { onEachEngine(t, testMemoryLimit) }

func testMemoryLimit(t *testing.T, on backend) {
	h := newHost(t, on, hostwasm.Config{Limits: hostwasm.Limits{Memory: 64 << 20}})
	const want = "terrarium: guest: out of memory: it wanted more than its limit lets it have\n"
	got := run(t, h, command("grow"))
	if got.exit.Status != abort || got.exit.Reason != core.ReasonMemory || got.stderr != want {
		t.Errorf("got %v %q %q, want %v %q %q", got.exit.Status, got.exit.Reason, got.stderr, abort, core.ReasonMemory, want)
	}
	if got, most := got.exit.Usage.MaxRSS, int64(64<<20); got > most || got < most/2 {
		t.Errorf("got %d bytes used, want at most %d and half of it at least", got, most)
	}
	// Who has started it learns why it has ended, and goes on.
	got = run(t, h, command("run", "guest", "grow"))
	if got.exit.Status != exitCode(0) || got.stdout != "3 2 137 true\n" || got.stderr != "" {
		t.Errorf("as a child: got %v %q %q, want a limit, memory", got.exit.Status, got.stdout, got.stderr)
	}
}

func TestFiles(t *testing.T) { onEachEngine(t, testFiles) }

func testFiles(t *testing.T, on backend) {
	h := newHost(t, on, hostwasm.Config{Mounts: []hostwasm.Mount{work(t, nil)}})
	if got := run(t, h, command("write", "note", "text")); got.exit.Status != (core.ExitStatus{}) {
		t.Fatalf("got %v, %s", got.exit.Status, got.stderr)
	}
	for name, want := range map[string]string{
		"note": "text", "./note": "text", "/work/note": "text", "../work/note": "text", "../../../work/note": "text",
	} {
		if got := run(t, h, command("read", name)); got.stdout != want {
			t.Errorf("read %s: got %q, %q, want %q", name, got.stdout, got.stderr, want)
		}
	}
	if got, want := run(t, h, command("ls", "/")).stdout, "bin\ndev\ntmp\nwork\n"; got != want {
		t.Errorf("ls /: got %q, want %q", got, want)
	}
	if got := run(t, h, command("read", "/etc/passwd")); got.stdout != "" {
		t.Errorf("read /etc/passwd: got %q", got.stdout)
	}
}

// /tmp is a session's own, and stays from one command to the next.
func TestScratch(t *testing.T) { onEachEngine(t, testScratch) }

func testScratch(t *testing.T, on backend) {
	h := newHost(t, on, hostwasm.Config{})
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
}
