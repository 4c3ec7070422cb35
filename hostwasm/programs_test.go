package hostwasm_test

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
)

// A slowEngine compiles when it is told to.
type slowEngine struct {
	engine.Engine
	begun chan struct{} // gets a value when a module comes
	gate  chan struct{} // and gives one to let it go on
}

func (e *slowEngine) Compile(ctx context.Context, wasm []byte, funcs []engine.Func, dir string) (engine.Program, error) {
	e.begun <- struct{}{}
	<-e.gate
	return e.Engine.Compile(ctx, wasm, funcs, dir)
}

// While one module is compiled others wait, and those for which nobody waits
// any longer are forgotten: a command could bring any number of them.
func TestCompileQueue(t *testing.T) {
	checkLeaks(t)
	e, err := wazero.New(wazero.Config{})
	if err != nil {
		t.Fatal(err)
	}
	slow := &slowEngine{e, make(chan struct{}, 100), make(chan struct{})}
	commands := make(map[string]*hostwasm.Module)
	for i := range 50 {
		name := strconv.Itoa(i)
		commands[name] = hostwasm.NewModule(name, hostileCommand("", I32(int32(i)), Op(Drop)))
	}
	h := newHost(t, backend{}, hostwasm.Config{Engine: slow, Commands: commands})
	first := make(chan error)
	go func() { first <- h.Prepare(context.Background(), "0") }()
	<-slow.begun
	for i := 1; i < 50; i++ {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := h.Prepare(ctx, strconv.Itoa(i)); !errors.Is(err, context.Canceled) {
			t.Errorf("%d: got %v, want %v", i, err, context.Canceled)
		}
	}
	slow.gate <- struct{}{}
	if err := <-first; err != nil {
		t.Errorf("the first one: got %v", err)
	}
	// What was given up comes again, right behind.
	close(slow.gate)
	if err := h.Prepare(context.Background(), "7"); err != nil {
		t.Errorf("again: got %v", err)
	}
	if got, want := len(slow.begun), 1; got != want {
		t.Errorf("got %d modules compiled since, want %d", got, want)
	}
}

// A module that nobody waits for any longer, but that is being compiled, is
// kept for the next.
func TestCompileGivenUp(t *testing.T) {
	checkLeaks(t)
	e, err := wazero.New(wazero.Config{})
	if err != nil {
		t.Fatal(err)
	}
	slow := &slowEngine{e, make(chan struct{}, 100), make(chan struct{})}
	h := newHost(t, backend{}, hostwasm.Config{Engine: slow, Commands: map[string]*hostwasm.Module{
		"good": hostwasm.NewModule("good", hostileCommand("")),
		"bad":  hostwasm.NewModule("bad", hostileCommand("", Op(Drop))), // Drop of nothing
	}})
	for _, name := range []string{"good", "bad"} {
		ctx, cancel := context.WithCancel(context.Background())
		given := make(chan error)
		go func() { given <- h.Prepare(ctx, name) }()
		<-slow.begun
		cancel()
		if err := <-given; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", name, err, context.Canceled)
		}
		slow.gate <- struct{}{} // while it is looked at what is idle
	}
	close(slow.gate)
	if err := h.Prepare(context.Background(), "good"); err != nil {
		t.Errorf("good: got %v", err)
	}
	if err := h.Prepare(context.Background(), "bad"); err == nil {
		t.Error("bad: got no error")
	}
	if got, want := len(slow.begun), 1; got > want {
		t.Errorf("got %d modules compiled since, want %d at most", got, want)
	}
}

// A module of 60 KB that takes minutes to compile, which nothing can end, is
// refused.
func TestCompileBomb(t *testing.T) { onEachEngine(t, testCompileBomb) }

func testCompileBomb(t *testing.T, on backend) {
	locals := strings.TrimSuffix(strings.Repeat("i32,", 3000), ",")
	wide := hostileCommand(locals, bytes.Repeat(Code(Get(0), If(EmptyType, Get(1), Set(2))), 5000))
	deep := hostileCommand("i32", bytes.Repeat(Block(EmptyType, Get(0), BrIf(0)), 60_000))
	h := newHost(t, on, hostwasm.Config{Commands: map[string]*hostwasm.Module{
		"wide": hostwasm.NewModule("wide", wide), "deep": hostwasm.NewModule("deep", deep),
	}})
	for _, name := range []string{"wide", "deep"} {
		if err := h.Prepare(context.Background(), name); !errors.Is(err, meter.ErrLimit) {
			t.Errorf("%s: got %v, want %v", name, err, meter.ErrLimit)
		}
	}
}
