//go:build js

package page_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
)

// program compiles a module, which is closed with the test.
func program(t testing.TB, add func(m *Module), funcs ...engine.Func) engine.Program {
	t.Helper()
	e, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	var m Module
	add(&m)
	m.Memory(1, 0)
	m.ExportMemory("memory")
	metered, _, err := meter.Rewrite(m.Bytes(), meter.Config{AskGrow: e.AsksGrow()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Compile(t.Context(), metered, funcs, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// BenchmarkCall runs a guest that makes b.N calls: of a function that never waits,
// of one that may and does not, of one that does, and of one that reads and writes
// 64 bytes of memory.
func BenchmarkCall(b *testing.B) {
	nothing := func(any, *engine.Memory, []uint64) error { return nil }
	waits := func(any, *engine.Memory, []uint64) error { return engine.ErrWait }
	copies := func(_ any, m *engine.Memory, _ []uint64) error {
		in, _ := m.In(0, 64)
		out, _ := m.Out(64, 64)
		copy(out, in)
		m.Store(64, out)
		return nil
	}
	for _, bench := range []struct {
		name      string
		call, try func(any, *engine.Memory, []uint64) error
	}{
		{"never waits", nothing, nil},
		{"may wait", nothing, nothing},
		{"copies", copies, copies},
		{"waits", func(any, *engine.Memory, []uint64) error { runtime.Gosched(); return nil }, waits},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p := program(b, func(m *Module) {
				f := m.Import("m", "f", "(i32,i32,i32,i32)->i32")
				m.Export("_start", m.Func("()->()", "i32", I32(int32(b.N)), Set(0), Loop(EmptyType,
					I32(1), I32(2), I32(3), I32(4), Call(f), Op(Drop),
					Get(0), I32(1), Op(I32Sub), Tee(0), BrIf(0))))
			}, engine.Func{Module: "m", Name: "f", Params: "iiii", Results: "i", Call: bench.call, Try: bench.try})
			b.ReportAllocs()
			b.ResetTimer()
			err := p.Run(engine.RunConfig{
				MaxMemory: 1 << 16, Refill: func(int64) (int64, error) { return 1 << 40, nil },
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkStart runs a guest that does nothing.
func BenchmarkStart(b *testing.B) {
	p := program(b, func(m *Module) { m.Export("_start", m.Func("()->()", "")) })
	for b.Loop() {
		if err := p.Run(engine.RunConfig{MaxMemory: 1 << 16, Refill: endlessly}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkKill has a guest that computes without end be ended: the time is until it is.
func BenchmarkKill(b *testing.B) {
	p := program(b, func(m *Module) { m.Export("_start", m.Func("()->()", "", Loop(EmptyType, Br(0)))) })
	mine := errors.New("killed")
	const slice = 2 << 20 // as hostwasm's
	for b.Loop() {
		b.StopTimer()
		killed := false
		ended := make(chan error)
		go func() { // ends when killed is set
			ended <- p.Run(engine.RunConfig{MaxMemory: 1 << 16, Refill: func(int64) (int64, error) {
				if killed {
					return 0, mine
				}
				return slice, nil
			}})
		}()
		time.Sleep(20 * time.Millisecond)
		b.StartTimer()
		killed = true
		if err := <-ended; err != mine {
			b.Fatal(err)
		}
	}
}
