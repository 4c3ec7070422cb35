//go:build !wasip1

package meter_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

// endless has modules whose export "run" or start function would never end, or
// not in our time.
var endless = map[string]func(m *Module){
	"loop": func(m *Module) {
		m.Export("run", m.Func("()->()", "", Loop(EmptyType, Br(0))))
	},
	"conditional loop": func(m *Module) {
		m.Export("run", m.Func("()->()", "", Loop(EmptyType, I32(1), BrIf(0))))
	},
	"loop that a table goes round": func(m *Module) {
		m.Export("run", m.Func("()->()", "i32", Loop(EmptyType, Block(EmptyType, Block(EmptyType,
			Get(0), I32(1), Op(I32Add), Tee(0), I32(3), Op(I32And), BrTable(0, 1, 2)), Br(1)), Br(0))))
	},
	"loop that a value goes round": func(m *Module) {
		typ := m.Type("(i32)->(i32)")
		m.Export("run", m.Func("()->()", "", I32(1), Op(0x03), S64(int64(typ)), Br(0), Op(End, Drop)))
	},
	"loops inside each other": func(m *Module) {
		body := Code(I32(1), BrIf(0))
		for range 50 {
			body = Code(Loop(EmptyType, body), I32(1), BrIf(0))
		}
		m.Export("run", m.Func("()->()", "", Loop(EmptyType, body)))
	},
	"exponential recursion": func(m *Module) {
		m.Export("run", m.Func("()->()", "", I32(60), Call(1)))
		m.Func("(i32)->()", "", Get(0), If(EmptyType, Get(0), I32(1), Op(I32Sub), Call(1), Get(0), I32(1), Op(I32Sub), Call(1)))
	},
	"exponential calls": func(m *Module) {
		const depth = 60
		for i := range uint32(depth) {
			m.Func("()->()", "", Call(i+1), Call(i+1))
		}
		m.Func("()->()", "")
		m.Export("run", 0)
	},
	"mutual recursion": func(m *Module) {
		m.Export("run", m.Func("()->()", "", I32(60), Call(1)))
		half := func(other uint32) []byte {
			return Code(Get(0), If(EmptyType, Get(0), I32(1), Op(I32Sub), Call(other), Get(0), I32(1), Op(I32Sub), Call(other)))
		}
		m.Func("(i32)->()", "", half(2))
		m.Func("(i32)->()", "", half(1))
	},
	"indirect calls": func(m *Module) {
		m.Table(1, 1)
		typ := m.Type("(i32)->()")
		m.Export("run", m.Func("()->()", "", I32(60), I32(0), CallIndirect(typ, 0)))
		again := Code(Get(0), I32(1), Op(I32Sub), I32(0), CallIndirect(typ, 0))
		m.Elem(0, m.Func("(i32)->()", "", Get(0), If(EmptyType, again, again)))
	},
	"loop around an indirect call": func(m *Module) {
		m.Table(1, 1)
		f := m.Func("()->()", "")
		m.Elem(0, f)
		m.Export("run", m.Func("()->()", "", Loop(EmptyType, I32(0), CallIndirect(m.Type("()->()"), 0), Br(0))))
	},
	"start": func(m *Module) {
		m.Start(m.Func("()->()", "", Loop(EmptyType, Br(0))))
	},
	"fills": func(m *Module) {
		m.Memory(4096, 0)
		m.Export("run", m.Func("()->()", "", Loop(EmptyType, I32(0), I32(1), I32(1<<28-1), Misc(11, 0), Br(0))))
	},
	"copies": func(m *Module) {
		m.Memory(4096, 0)
		m.Export("run", m.Func("()->()", "", Loop(EmptyType, I32(1), I32(0), I32(1<<28-1), Misc(10, 0, 0), Br(0))))
	},
	"small fills": func(m *Module) {
		m.Memory(1, 0)
		m.Export("run", m.Func("()->()", "", Loop(EmptyType, I32(0), I32(1), I32(4096), Misc(11, 0), Br(0))))
	},
	"table copies": func(m *Module) {
		m.Table(1<<20, 0)
		m.Export("run", m.Func("()->()", "", Loop(EmptyType, I32(1), I32(0), I32(1<<20-1), Misc(14, 0, 0), Br(0))))
	},
	"switches": func(m *Module) {
		const n = 1000
		labels := make([]uint32, n)
		code := Code(Get(0), I32(1), Op(I32Add), Tee(0), I32(n), Op(I32RemU))
		for i := range labels {
			labels[i] = uint32(i)
		}
		code = Code(code, BrTable(labels...))
		for range n - 1 {
			code = Block(EmptyType, code)
		}
		m.Export("run", m.Func("()->()", "i32", Loop(EmptyType, Block(EmptyType, code), Br(0))))
	},
	"calls of what is next to nothing": func(m *Module) {
		m.Export("run", m.Func("()->()", "", Loop(EmptyType, Code(repeat(Call(1), 16_000)...), Br(0))))
		m.Func("()->()", "", work(32))
	},
	"a long way round": func(m *Module) {
		// Every check that could be passed by is.
		part := Code(Block(EmptyType, I32(1), BrIf(0), work(20_000)), work(2000))
		m.Export("run", m.Func("()->()", "", Loop(EmptyType, Code(repeat(part, 100)...), Br(0))))
	},
}

func repeat(code []byte, n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = code
	}
	return all
}

// TestEnds runs what never ends until its fuel is used up.
func TestEnds(t *testing.T) {
	const refills = 5
	for name, build := range endless {
		t.Run(name, func(t *testing.T) {
			f := &fuelTank{budget: refills * slice}
			m, err := start(t, f, build)
			if err == nil {
				_, err = m.ExportedFunction("run").Call(context.Background())
			}
			if !errors.Is(err, errOutOfFuel{}) {
				t.Errorf("got %v, want %v", err, errOutOfFuel{})
			}
			if f.refills != refills+1 {
				t.Errorf("got %d refills, want %d", f.refills, refills+1)
			}
		})
	}
}

// TestDeep recurses until the engine's stack is full, which takes less fuel than
// the test gives.
func TestDeep(t *testing.T) {
	m, err := start(t, &fuelTank{budget: 1 << 40}, func(m *Module) {
		m.Export("run", m.Func("()->()", "", Call(0)))
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.ExportedFunction("run").Call(context.Background())
	if err == nil || !strings.Contains(err.Error(), "stack overflow") {
		t.Errorf("got %v, want a stack overflow", err)
	}
}

// TestCollector lets Go collect garbage while guests run: that stops all
// goroutines, so it waits until each is somewhere else than in a guest.
func TestCollector(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	// Seconds of processor time, which the guest uses up meanwhile, and which other programs do
	// not: less than 0.01. Without the meter it would be for ever.
	const bound = 2
	for name, build := range endless {
		t.Run(name, func(t *testing.T) {
			f := &fuelTank{stop: make(chan struct{})}
			ended := make(chan error)
			go func() { // ends when stop is closed; waited for below
				m, err := start(t, f, build)
				if err == nil {
					_, err = m.ExportedFunction("run").Call(context.Background())
				}
				ended <- err
			}()
			var longest float64
			for range 4 {
				longest = max(longest, seconds(runtime.GC))
			}
			close(f.stop)
			if err := <-ended; !errors.Is(err, errOutOfFuel{}) {
				t.Errorf("got %v, want %v", err, errOutOfFuel{})
			}
			t.Logf("longest collection: %.3f s", longest)
			if longest > bound {
				t.Errorf("a collection took %.3f s, want less than %d", longest, bound)
			}
		})
	}
}

// start instantiates the metered form of a module, and calls its start function.
func start(t testing.TB, f *fuelTank, build func(*Module)) (api.Module, error) {
	var m Module
	build(&m)
	metered, _, err := meter.Rewrite(m.Bytes(), meter.Config{})
	if err != nil {
		return nil, err
	}
	instance, err := newRuntime(t, f).InstantiateWithConfig(context.Background(), metered, wazero.NewModuleConfig())
	if err == nil && instance.ExportedFunction(meter.StartExport) != nil {
		_, err = instance.ExportedFunction(meter.StartExport).Call(context.Background())
	}
	return instance, err
}
