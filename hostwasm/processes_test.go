package hostwasm_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// The processes of a terminal are told, and take signals by their numbers.
func TestProcesses(t *testing.T) { everywhere(t, testProcesses) }

func testProcesses(t *testing.T, on place) {
	checkLeaks(t)
	h := on.host(t, hostwasm.Config{})
	got := run(t, h, command("family"))
	const want = `1 0 runs guest family
2 1 waits guest block
3 1 waits guest tree
4 3 waits guest block
taken: spawn guest: Invalid argument
not reserved: spawn guest: Invalid argument
signal 0 to 2 <nil>
signal 28 to 2 <nil>
signal 77 to 2 kill: Invalid argument
signal -1 to 2 kill: Invalid argument
signal 9 to 5 kill: No such process
signal 9 to 0 kill: No such process
signal 9 to -1 kill: No such process
signal 9 to 1073741824 kill: No such process
to one that has ended: <nil>
0 0 0 <nil>
2 9 137 <nil>
to one that is gone: kill: No such process
1 0 runs guest family
`
	if got.stdout != want || got.stderr != "" {
		t.Errorf("got\n%s%s, want\n%s", got.stdout, got.stderr, want)
	}
	if want := (core.ExitStatus{Signal: "SIGTERM"}); got.exit.Status != want || got.exit.Reason != core.ReasonNone {
		t.Errorf("got %v %q, want %v", got.exit.Status, got.exit.Reason, want)
	}
}

// A child may end the terminal's first process, as any of the same user may
// elsewhere.
func TestSignalToFirst(t *testing.T) { everywhere(t, testSignalToFirst) }

func testSignalToFirst(t *testing.T, on place) {
	got := run(t, on.host(t, hostwasm.Config{}), command("run", "guest", "signal", "1", "1"))
	if want := (core.ExitStatus{Signal: "SIGHUP"}); got.exit.Status != want || got.stdout != "" {
		t.Errorf("got %v and %q, want %v and nothing", got.exit.Status, got.stdout, want)
	}
}

// A thousand children that nobody has waited for are told whole, and are gone
// when somebody has.
func TestDefunct(t *testing.T) { everywhere(t, testDefunct) }

func testDefunct(t *testing.T, on place) {
	h := on.host(t, hostwasm.Config{
		Limits:   hostwasm.Limits{OpenFiles: 1100},
		Commands: map[string]*hostwasm.Module{"guest": guest, "nothing": hostwasm.NewModule("nothing", hostileCommand(""))},
	})
	got := run(t, h, command("defunct", "1000"))
	if want := "1 0 runs guest defunct 1000\n"; got.stdout != want || got.stderr != "" {
		t.Errorf("got %q, %q, want %q", got.stdout, got.stderr, want)
	}
}

// Nobody sees the processes of another terminal, or reaches them.
func TestForeignProcesses(t *testing.T) { everywhere(t, testForeignProcesses) }

func testForeignProcesses(t *testing.T, on place) {
	h := on.host(t, hostwasm.Config{Commands: map[string]*hostwasm.Module{"guest": guest, "echo": echo}})
	b := stand(t, h)
	other := launch(t, h, command("tree"))
	defer other.Close()
	ready := make(chan struct{})
	go func() { // ends with Close
		var out bytes.Buffer
		other.Output(func(_ uint8, p []byte) {
			if out.Write(p); out.String() == "ready\n" {
				close(ready)
			}
		})
	}()
	<-ready
	got := run(t, h, command("foreign"))
	if want := "1 0 runs guest foreign\n0 hit\n"; got.stdout != want || got.stderr != "" {
		t.Errorf("got %q, %q, want %q", got.stdout, got.stderr, want)
	}
	b.alive(t)
	if err := other.Signal("SIGINT"); err != nil {
		t.Fatal(err)
	}
	if got := wait(t, other); got.Status.Signal != "SIGINT" {
		t.Errorf("the other terminal: got %v, want it to run until SIGINT", got.Status)
	}
}

// Where commands are deterministic, the list is.
func TestProcessesDeterministic(t *testing.T) { everywhere(t, testProcessesDeterministic) }

func testProcessesDeterministic(t *testing.T, on place) {
	h := on.host(t, hostwasm.Config{
		Deterministic: true,
		Commands:      map[string]*hostwasm.Module{"guest": guest, "raw": hostwasm.NewModule("raw", rawList)},
	})
	first := run(t, h, command("run", "raw", "x"))
	if !strings.Contains(first.stdout, "guest\x00run\x00raw\x00x\x00") || !strings.Contains(first.stdout, "raw\x00x\x00") {
		t.Errorf("got %q, want two processes in it", first.stdout)
	}
	for range 3 {
		if got := run(t, h, command("run", "raw", "x")); got.stdout != first.stdout {
			t.Errorf("got\n%q, want\n%q", got.stdout, first.stdout)
		}
	}
}

// rawList writes the list of processes as it lies in memory.
var rawList = build(func(m *Module) {
	processes := m.Import("terrarium_proc_v0", "processes", "(i32,i32)->i32")
	write := m.Import(preview1, "fd_write", "(i32,i32,i32,i32)->i32")
	const at, room = 1024, 60_000
	m.Data(0, binary.LittleEndian.AppendUint32(nil, at)) // a vector, whose length is the list's
	m.Export("_start", m.Func("()->()", "",
		I32(at), I32(room), Call(processes), Op(Drop),
		I32(4), I32(at), Memory(I32Load, 0), Memory(I32Store, 0),
		I32(1), I32(0), I32(1), I32(8), Call(write), Op(Drop)))
})
