package wazero

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/api"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// calling returns a metered module that calls m.f at each of so many levels.
func calling(t *testing.T, levels int32) []byte {
	t.Helper()
	var m Module
	f := m.Import("m", "f", "()->()")
	deeper := m.Func("(i32)->()", "", Call(f), Get(0), If(EmptyType, Get(0), I32(1), Op(I32Sub), Call(1)))
	m.Export("_start", m.Func("()->()", "", I32(levels), Call(deeper)))
	metered, _, err := meter.Rewrite(m.Bytes(), meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return metered
}

// depth returns how many calls there can be inside each other.
func depth(t *testing.T, c Config, stack int) int {
	t.Helper()
	e, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	p, err := e.Compile(t.Context(), calling(t, 1<<30), []engine.Func{{Module: "m", Name: "f",
		Call: func(any, *engine.Memory, []uint64) error { calls++; return nil }}}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	err = p.Run(engine.RunConfig{MaxStack: stack, Refill: func(int64) (int64, error) { return 1 << 20, nil }})
	if trap, ok := err.(*engine.Trap); !ok || trap.Reason != engine.StackExhausted {
		t.Errorf("got %v, want %s", err, engine.StackExhausted)
	}
	return calls
}

// As much stack as is allowed can be used, and no more.
func TestMaxStack(t *testing.T) {
	least := depth(t, Config{}, engine.LeastStack)
	if frame := engine.LeastStack / least; frame < 16 || frame > 200 {
		t.Fatalf("got %d calls in %d bytes", least, engine.LeastStack)
	}
	for stack, as := range map[int]int{
		1: engine.LeastStack, 1 << 20: 1 << 20, 0: engine.DefaultStack, engine.MostStack: engine.MostStack, 1 << 40: engine.MostStack,
	} {
		want := as / engine.LeastStack * least
		if got := depth(t, Config{}, stack); got < want || got > want+want/50 {
			t.Errorf("MaxStack %d: got %d calls, want %d or a little more", stack, got, want)
		}
	}
	if got := depth(t, Config{Interpreter: true}, 0); got == 0 || got > 2000 {
		t.Errorf("interpreter: got %d calls, want at most 2000", got)
	}
}

// Where a stack is that is not where it was, nothing is written.
func TestOtherStack(t *testing.T) {
	s, err := newStack(0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.release()
	type other struct {
		api.Function
		stack    []uint64
		stackTop uintptr
	}
	_ = other{stack: nil, stackTop: 0} // they are found by reflection
	for _, f := range []api.Function{&other{}, other{}, &struct{ api.Function }{}} {
		if err := s.lend(f); err == nil || !strings.Contains(err.Error(), "not where it was") {
			t.Errorf("got %v, want an error", err)
		}
	}
}

// failing is a context that makes wazero panic when it asks what is in it.
type failing struct{ context.Context }

func (failing) Value(any) any { panic("a fault of wazero's\nand more") }

// A panic of the compiler is an error.
func TestCompilerPanics(t *testing.T) {
	e, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Compile(failing{t.Context()}, calling(t, 1), nil, "")
	if want := "wazero can't compile it: a fault of wazero's"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// The version that is assumed where a program is not told is that in go.mod.
func TestUsualVersion(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/tetratelabs/wazero").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != usual {
		t.Errorf("got %s, %v, want %s", got, err, usual)
	}
}
