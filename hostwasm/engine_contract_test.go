package hostwasm_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// compile returns a metered module's program, which is closed with the test.
func compile(t *testing.T, on backend, module []byte, funcs ...engine.Func) engine.Program {
	t.Helper()
	e, err := on.open()
	if err != nil {
		t.Fatal(err)
	}
	metered, _, err := meter.Rewrite(module, meter.Config{AskGrow: e.AsksGrow()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Compile(t.Context(), metered, funcs, "")
	if err != nil {
		t.Fatal(err)
	}
	clear(metered) // it is not kept
	t.Cleanup(func() {
		if err := errors.Join(p.Close(), e.Close()); err != nil {
			t.Error(err)
		}
	})
	return p
}

// endlessly is a Refill that always has more.
func endlessly(int64) (int64, error) { return 1 << 20, nil }

// Functions get what the guest passes, of each type, see and change its memory,
// and return what it goes on with. One that is not imported costs nothing.
func TestEngineCalls(t *testing.T) { onEachEngine(t, testEngineCalls) }

func testEngineCalls(t *testing.T, on backend) {
	module := build(func(m *Module) {
		all := m.Import("m", "all", "(i32,i64,f32,f64)->f64")
		got := m.Import("m", "got", "(i64,f64)->()")
		many := m.Import("m", "many", "("+"i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32"+")->i32")
		none := m.Import("m", "none", "()->f32")
		var twelve []byte
		for i := range int32(12) {
			twelve = append(twelve, I32(i)...)
		}
		m.Export("_start", m.Func("()->()", "f64",
			I32(-1), I64(math.MinInt64), Op(0x43, 0, 0, 0x80, 0x3f), Op(0x44, 0, 0, 0, 0, 0, 0, 0, 0x40), Call(all), Set(0),
			twelve, Call(many), Op(0xac), Get(0), Call(got), // i64.extend_i32_s
			I32(0), Memory(I64Load, 8), Call(none), Op(0xbb), Call(got), // f64.promote_f32
		))
	})
	guest := new(int)
	var calls [][]uint64
	p := compile(t, on, module,
		engine.Func{Module: "m", Name: "all", Params: "iIfF", Results: "F", Call: func(g any, mem *engine.Memory, stack []uint64) error {
			if g != guest || mem.Size() != 1<<16 {
				t.Errorf("got guest %v and %d bytes, want %v and a page", g, mem.Size(), guest)
			}
			storeIn(t, mem, 8, []byte{77})
			calls = append(calls, slices.Clone(stack))
			stack[0] = math.Float64bits(0.5)
			return nil
		}},
		engine.Func{Module: "m", Name: "many", Params: "iiiiiiiiiiii", Results: "i", Call: func(_ any, _ *engine.Memory, stack []uint64) error {
			for i, v := range stack {
				if v != uint64(i) {
					t.Errorf("got %v, want 0 to 11", stack)
				}
			}
			stack[0] = math.MaxUint32
			return nil
		}},
		engine.Func{Module: "m", Name: "none", Results: "f", Call: func(_ any, _ *engine.Memory, stack []uint64) error {
			stack[0] = uint64(math.Float32bits(-1))
			return nil
		}},
		engine.Func{Module: "m", Name: "got", Params: "IF", Call: func(_ any, _ *engine.Memory, stack []uint64) error {
			calls = append(calls, slices.Clone(stack))
			return nil
		}},
		engine.Func{Module: "m", Name: "unused", Params: "i", Call: nil},
	)
	if err := p.Run(engine.RunConfig{Guest: guest, MaxMemory: 1 << 20, Refill: endlessly}); err != nil {
		t.Fatal(err)
	}
	want := [][]uint64{
		{math.MaxUint32, 1 << 63, uint64(math.Float32bits(1)), math.Float64bits(2)},
		{math.MaxUint64, math.Float64bits(0.5)},
		{77, math.Float64bits(-1)},
	}
	if !slices.EqualFunc(calls, want, slices.Equal) {
		t.Errorf("got %x, want %x", calls, want)
	}
}

// What a function or Refill returns is what Run returns, and the rest of the
// guest does not happen. Done is told what was left, once.
func TestEngineEnds(t *testing.T) { onEachEngine(t, testEngineEnds) }

func testEngineEnds(t *testing.T, on backend) {
	mine := errors.New("mine")
	fail := engine.Func{Module: "m", Name: "fail", Call: func(any, *engine.Memory, []uint64) error { return mine }}
	failing := func(where string) []byte {
		return build(func(m *Module) {
			fail := m.Import("m", "fail", "()->()")
			f := m.Func("()->()", "", Call(fail), forEver)
			empty := m.Func("()->()", "")
			if where == "start" {
				m.Start(f)
				f = empty
			}
			m.Export("_start", f)
		})
	}
	const tank = 1000
	for _, test := range []struct {
		name   string
		module []byte
		refill error
		want   error
	}{
		{"function", failing("_start"), nil, mine},
		{"function in start", failing("start"), nil, mine},
		{"refill", hostileCommand("", forEver), mine, mine},
		{"refill in start", withStart(forEver), mine, mine},
		{"nothing", hostileCommand(""), nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := compile(t, on, test.module, fail)
			refills, done := 0, 0
			err := p.Run(engine.RunConfig{
				MaxMemory: 1 << 20,
				Refill: func(left int64) (int64, error) {
					if left >= 0 {
						t.Errorf("got a refill with %d left", left)
					}
					refills++
					return tank, test.refill
				},
				Done: func(left int64, _ bool) {
					done++
					if left > tank {
						t.Errorf("got %d left, want at most %d", left, tank)
					}
				},
			})
			if err != test.want {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if done > 1 || refills > 0 && done != 1 {
				t.Errorf("got %d calls of Done", done)
			}
		})
	}
}

// What Compile leaves in a directory is the same program; where a part of it is
// missing there is none, rather than another.
func TestEngineLoads(t *testing.T) { onEachEngine(t, testEngineLoads) }

func testEngineLoads(t *testing.T, on backend) {
	var told []uint64
	tell := engine.Func{Module: "m", Name: "tell", Params: "I", Call: func(_ any, _ *engine.Memory, stack []uint64) error {
		told = append(told, stack[0])
		return nil
	}}
	module := build(func(m *Module) {
		f := m.Import("m", "tell", "(i64)->()")
		again := m.Import("m", "tell", "(i64)->()")
		inner := m.Func("()->()", "", I64(2), Call(again), Op(Unreachable))
		m.Export("_start", m.Func("()->()", "", I64(1), Call(f), Call(inner)))
		m.Custom("something", []byte("else"))
	})
	e, err := on.open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	metered, _, err := meter.Rewrite(module, meter.Config{AskGrow: e.AsksGrow()})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	runs := func(p engine.Program) {
		t.Helper()
		defer p.Close()
		told = nil
		err := p.Run(engine.RunConfig{MaxMemory: 1 << 20, Refill: endlessly})
		if trap, ok := errors.AsType[*engine.Trap](err); !ok || trap.Reason != "unreachable" || len(trap.Stack) != 2 {
			t.Errorf("got %v, want unreachable, in two functions", err)
		}
		if !slices.Equal(told, []uint64{1, 2}) {
			t.Errorf("got %d, want 1, 2", told)
		}
	}
	p, err := e.Compile(t.Context(), metered, []engine.Func{tell}, dir)
	if err != nil {
		t.Fatal(err)
	}
	runs(p)
	for range 2 {
		if p, err = e.Load(t.Context(), dir, engine.Among([]engine.Func{tell})); err != nil {
			t.Fatal(err)
		}
		runs(p)
	}
	if p, err := e.Load(t.Context(), dir, engine.Among(nil)); err == nil {
		p.Close()
		t.Error("without the function: got a program, want an error")
	}
	err = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if err := os.Rename(name, name+"2"); err != nil {
			return err
		}
		if p, err := e.Load(t.Context(), dir, engine.Among([]engine.Func{tell})); err == nil {
			p.Close()
			t.Errorf("without %s: got a program, want an error", d.Name())
		}
		return os.Rename(name+"2", name)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Load(t.Context(), t.TempDir(), engine.Among([]engine.Func{tell})); err == nil {
		t.Error("nothing: got a program, want an error")
	}
}

// Memory beyond what there may be is refused: at first, and later before any
// of it is used.
func TestEngineMemory(t *testing.T) { onEachEngine(t, testEngineMemory) }

func testEngineMemory(t *testing.T, on backend) {
	const page = 1 << 16
	// It grows by 200 pages, tells the result, and writes to the last byte.
	module := build(func(m *Module) {
		told := m.Import("m", "told", "(i32)->()")
		m.Export("_start", m.Func("()->()", "",
			I32(200), MemoryGrow(), Call(told), I32(201*page-1), I32(1), Memory(I32Store8, 0)))
	})
	for _, test := range []struct {
		name      string
		max, most uint64 // RunConfig.MaxMemory, and what Grow allows
		told      []uint64
		trap      bool
		err       error
	}{
		{name: "enough", max: 201 * page, most: 201 * page, told: []uint64{1}},
		{name: "too little", max: 200 * page, most: 300 * page, told: []uint64{math.MaxUint32}, trap: true},
		{name: "too little at first", max: page - 1, most: page, err: engine.ErrMemory},
		{name: "nothing at first", max: page, most: page - 1, err: engine.ErrMemory},
	} {
		t.Run(test.name, func(t *testing.T) {
			var told []uint64
			p := compile(t, on, module, engine.Func{Module: "m", Name: "told", Params: "i", Call: func(_ any, _ *engine.Memory, stack []uint64) error {
				told = append(told, stack[0])
				return nil
			}})
			var at uint64
			err := p.Run(engine.RunConfig{
				MaxMemory: test.max, Refill: endlessly,
				Grow: func(from, to uint64) bool {
					if from != at || to <= from {
						t.Errorf("asked for %d from %d, has %d", to, from, at)
					}
					if to > test.most {
						return false
					}
					at = to
					return true
				},
			})
			if _, trapped := errors.AsType[*engine.Trap](err); trapped != test.trap || !trapped && err != test.err {
				t.Errorf("got %v, want %v, trap %v", err, test.err, test.trap)
			}
			if !slices.Equal(told, test.told) {
				t.Errorf("got %d, want %d", told, test.told)
			}
		})
	}
	t.Run("refused later", func(t *testing.T) {
		p := compile(t, on, module, engine.Func{Module: "m", Name: "told", Params: "i", Call: func(_ any, mem *engine.Memory, stack []uint64) error {
			if mem.Size() > page || stack[0] != math.MaxUint32 {
				t.Errorf("got %d bytes after %d, want a page", mem.Size(), stack[0])
			}
			return nil
		}})
		err := p.Run(engine.RunConfig{
			MaxMemory: 300 * page, Refill: endlessly,
			Grow: func(_, to uint64) bool { return to <= page },
		})
		// It learns that and traps, or it is ended.
		if _, trapped := errors.AsType[*engine.Trap](err); !trapped && err != engine.ErrMemory {
			t.Errorf("got %v, want a trap or %v", err, engine.ErrMemory)
		}
	})
}

// storeIn puts b into a guest's memory.
func storeIn(t *testing.T, mem *engine.Memory, ptr uint32, b []byte) {
	room, ok := mem.Out(ptr, uint32(len(b)))
	if !ok {
		t.Errorf("there are no %d bytes at %d", len(b), ptr)
		return
	}
	copy(room, b)
	mem.Store(ptr, room)
}

// Many instances of a program run at once, each with memory of its own.
func TestEngineInstances(t *testing.T) { onEachEngine(t, testEngineInstances) }

func testEngineInstances(t *testing.T, on backend) {
	module := build(func(m *Module) {
		own := m.Import("m", "own", "()->()")
		m.Export("_start", m.Func("()->()", "i32",
			Loop(EmptyType, Call(own), Get(0), I32(1), Op(I32Add), Tee(0), I32(100), Op(I32LtU), BrIf(0))))
	})
	p := compile(t, on, module, engine.Func{Module: "m", Name: "own", Call: func(g any, mem *engine.Memory, _ []uint64) error {
		id := byte(g.(int))
		if b, ok := mem.In(0, 4); !ok || b[0] != 0 && !bytes.Equal(b, []byte{id, id, id, id}) {
			return errors.New("another's memory")
		}
		storeIn(t, mem, 0, []byte{id, id, id, id})
		return nil
	}})
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			if err := p.Run(engine.RunConfig{Guest: i + 1, MaxMemory: 1 << 16, Refill: endlessly}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Every instance begins with the module's data, whatever others have written to
// their memory, and with zeros where there is none.
func TestEngineData(t *testing.T) { onEachEngine(t, testEngineData) }

func testEngineData(t *testing.T, on backend) {
	const page = 1 << 16
	type data struct {
		at    int32
		bytes string
	}
	for _, test := range []struct {
		name string
		data []data
		also func(*Module)
		trap bool
	}{
		{name: "none"},
		{name: "empty", data: []data{{7, ""}}},
		{name: "some", data: []data{{4095, "ab"}, {3, "cd"}}},
		{name: "up to the end", data: []data{{0, "ab"}, {page - 2, "cd"}}},
		{name: "one over another", data: []data{{3, "abc"}, {2, "de"}}},
		{name: "used by code", data: []data{{3, "abc"}, {9, "de"}}, also: func(m *Module) { m.Func("()->()", "", Misc(9, 0)) }},
		{name: "beyond the end", data: []data{{0, "ab"}, {page - 1, "cd"}}, trap: true},
		{name: "beyond all addresses", data: []data{{-1, "cd"}}, trap: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := make([]byte, page)
			module := build(func(m *Module) {
				f := m.Import("m", "f", "()->()")
				m.Export("_start", m.Func("()->()", "", Call(f)))
				if test.also != nil {
					test.also(m)
				}
				for _, d := range test.data {
					m.Data(d.at, []byte(d.bytes))
					if !test.trap {
						copy(want[d.at:], d.bytes)
					}
				}
			})
			p := compile(t, on, module, engine.Func{Module: "m", Name: "f", Call: func(_ any, mem *engine.Memory, _ []uint64) error {
				if b, ok := mem.In(0, page); !ok || mem.Size() != page || !bytes.Equal(b, want) {
					return errors.New("the memory begins otherwise")
				}
				storeIn(t, mem, 0, bytes.Repeat([]byte("x"), page))
				return nil
			}})
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range 2 {
						err := p.Run(engine.RunConfig{MaxMemory: 2 * page, Refill: endlessly})
						if trap, ok := errors.AsType[*engine.Trap](err); ok != test.trap || !ok && err != nil ||
							ok && trap.Reason != "out of bounds memory access" {
							t.Errorf("got %v, want a trap: %v", err, test.trap)
						}
					}
				})
			}
			all.Wait()
		})
	}
}
