//go:build !wasip1

package meter_test

import (
	"context"
	"hash/maphash"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

// An outcome is all that can be seen of a run.
type outcome struct {
	result uint64
	trap   string // in the engine's words, "" for none
	memory uint64 // a hash
	size   uint32 // of the memory, in bytes
	steps  uint64 // the global of that name
}

var hashSeed = maphash.MakeSeed()

// run instantiates a module and calls its export "run".
func run(t testing.TB, r wazero.Runtime, wasm []byte, args ...uint64) (outcome, api.Module) {
	t.Helper()
	ctx := context.Background()
	m, err := r.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close(ctx) })
	var o outcome
	results, err := m.ExportedFunction("run").Call(ctx, args...)
	if err != nil {
		o.trap, _, _ = strings.Cut(err.Error(), "\n")
	} else if len(results) > 0 {
		o.result = results[0]
	}
	if memory := m.Memory(); memory != nil {
		o.size = memory.Size()
		p, _ := memory.Read(0, o.size)
		o.memory = maphash.Bytes(hashSeed, p)
	}
	if g := m.ExportedGlobal("steps"); g != nil {
		o.steps = g.Get()
	}
	return o, m
}

// wantSame runs a module as it is and metered, also so that it asks before it
// grows, and returns the outcome and how much fuel that took.
func wantSame(t testing.TB, r wazero.Runtime, f *fuelTank, wasm []byte, args ...uint64) (outcome, int64) {
	t.Helper()
	want, _ := run(t, r, wasm, args...)
	metered := func(c meter.Config) int64 {
		*f = fuelTank{answer: 1}
		got, m := run(t, r, rewrite(t, wasm, c), args...)
		if got != want {
			t.Errorf("metered with AskGrow %v: got %+v, want %+v", c.AskGrow, got, want)
		}
		return f.used(m)
	}
	used := metered(meter.Config{})
	if got := metered(asking); got != used {
		t.Errorf("got %d units of fuel, want %d as without asking", got, used)
	}
	return want, used
}

// TestBulk runs bulk instructions of all sizes, in and out of bounds, overlapping
// and not, and compares what they did.
func TestBulk(t *testing.T) {
	const pages = 200 // 12.5 MiB, so that copies have many pieces
	const outOfBounds = "wasm error: out of bounds memory access"
	const outOfTable = "wasm error: invalid table access"
	f := &fuelTank{}
	r := newRuntime(t, f)
	const mib = 1 << 20
	const end = pages << 16
	long := make([]byte, 9*mib)
	for i := range long {
		long[i] = byte(i * i >> 7)
	}
	for _, c := range []struct {
		name    string
		a, b, n uint32
		op      []byte
		trap    string
	}{
		{name: "fill nothing", op: Misc(11, 0)},
		{name: "fill nothing at the end", a: end, op: Misc(11, 0)},
		{name: "fill nothing behind the end", a: end + 1, op: Misc(11, 0), trap: outOfBounds},
		{name: "fill little", a: 3, b: 7, n: 100, op: Misc(11, 0)},
		{name: "fill a piece", a: 3, b: 7, n: mib, op: Misc(11, 0)},
		{name: "fill more", a: 3, b: 7, n: 11*mib + 5, op: Misc(11, 0)},
		{name: "fill to the end", a: end - 6*mib, b: 7, n: 6 * mib, op: Misc(11, 0)},
		{name: "fill beyond the end", a: end - 6*mib, b: 7, n: 6*mib + 1, op: Misc(11, 0), trap: outOfBounds},
		{name: "fill beyond all", a: 1, b: 7, n: 1<<32 - 1, op: Misc(11, 0), trap: outOfBounds},
		{name: "fill little beyond the end", a: end - 1, b: 7, n: 2, op: Misc(11, 0), trap: outOfBounds},

		{name: "copy up", a: 6 * mib, b: 0, n: 5 * mib, op: Misc(10, 0, 0)},
		{name: "copy up, overlapping", a: 1, b: 0, n: 11 * mib, op: Misc(10, 0, 0)},
		{name: "copy up, overlapping by half", a: 5 * mib, b: 1, n: 7 * mib, op: Misc(10, 0, 0)},
		{name: "copy down, overlapping", a: 0, b: 1, n: 11 * mib, op: Misc(10, 0, 0)},
		{name: "copy down, overlapping by half", a: 1, b: 5 * mib, n: 7 * mib, op: Misc(10, 0, 0)},
		{name: "copy onto itself", a: 5, b: 5, n: 11 * mib, op: Misc(10, 0, 0)},
		{name: "copy to the end", a: end - 6*mib, b: 0, n: 6 * mib, op: Misc(10, 0, 0)},
		{name: "copy beyond the end", a: end - 6*mib, b: 0, n: 6*mib + 1, op: Misc(10, 0, 0), trap: outOfBounds},
		{name: "copy from beyond the end", a: 0, b: end - 6*mib, n: 6*mib + 1, op: Misc(10, 0, 0), trap: outOfBounds},
		{name: "copy from nowhere", a: 0, b: 1<<32 - 1, n: 1<<32 - 1, op: Misc(10, 0, 0), trap: outOfBounds},

		{name: "init", a: 1, b: 2, n: 9*mib - 2, op: Misc(8, 0, 0)},
		{name: "init to the end", a: end - 6*mib, b: 2, n: 6 * mib, op: Misc(8, 0, 0)},
		{name: "init beyond the end", a: end - 6*mib, b: 2, n: 6*mib + 1, op: Misc(8, 0, 0), trap: outOfBounds},
		{name: "init from beyond the end", a: 1, b: 2, n: 9*mib - 1, op: Misc(8, 0, 0), trap: outOfBounds},
		{name: "init from nowhere", a: 1, b: 1<<32 - 1, n: 6 * mib, op: Misc(8, 0, 0), trap: outOfBounds},
		{name: "init from what was dropped", n: 6 * mib, op: Code(Misc(9, 0), Misc(8, 0, 0)), trap: outOfBounds},
		{name: "init short", a: 1, b: 2, n: 3, op: Misc(8, 1, 0)},
		{name: "init short from beyond the end", a: 1, b: 2, n: 9, op: Misc(8, 1, 0), trap: outOfBounds},

		{name: "table.fill", a: 1, b: 0, n: 999, op: Misc(17, 0)},
		{name: "table.fill beyond the end", a: 2, b: 0, n: 999, op: Misc(17, 0), trap: outOfTable},
		{name: "table.fill beyond all", a: 2, b: 0, n: 1<<32 - 1, op: Misc(17, 0), trap: outOfTable},
		{name: "table.copy", a: 1, b: 0, n: 999, op: Misc(14, 0, 0)},
		{name: "table.copy beyond the end", a: 1, b: 2, n: 999, op: Misc(14, 0, 0), trap: outOfTable},
		{name: "table.init", a: 1, b: 1, n: 1, op: Misc(12, 0, 0)},
		{name: "table.init beyond the end", a: 1, b: 1, n: 2, op: Misc(12, 0, 0), trap: outOfTable},
		{name: "table.init long", a: 1, b: 1, n: 700, op: Misc(12, 1, 0)},
		{name: "table.init long beyond the end", a: 1, b: 1, n: 800, op: Misc(12, 1, 0), trap: outOfTable},
	} {
		t.Run(c.name, func(t *testing.T) {
			var m Module
			m.Memory(pages, 0)
			m.Table(1000, 0)
			if strings.HasPrefix(c.name, "init") {
				m.PassiveData(long)
			}
			m.PassiveData([]byte("short"))
			second := Get(1)
			if c.op[1] == 17 {
				second = Op(RefNull, FuncrefType)
			}
			f0 := m.Func("(i32,i32,i32)->i32", "", Get(0), second, Get(2), c.op, Misc(16, 0))
			// A pattern to copy, then the instruction.
			i := uint32(3)
			m.Export("run", m.Func("(i32,i32,i32)->i32", "i32",
				Loop(EmptyType, Get(i), Get(i), Get(i), Op(I32Mul), Memory(I32Store8, 0),
					Get(i), I32(4099), Op(I32Add), Tee(i), I32(end-1), Op(I32LtU), BrIf(0)),
				Get(0), Get(1), Get(2), Call(f0)))
			m.PassiveElem(f0, f0)
			m.PassiveElem(make([]uint32, 750)...)
			got, used := wantSame(t, r, f, m.Bytes(), uint64(c.a), uint64(c.b), uint64(c.n))
			if got.trap != c.trap {
				t.Errorf("got trap %q, want %q", got.trap, c.trap)
			}
			units := int64(c.n) / 8
			if c.n >= 64<<10 {
				units = int64(c.n) / 2
			}
			if strings.Contains(c.name, "table") {
				units = int64(c.n)
			}
			if c.trap != "" {
				units = 0
			}
			const pattern = 250_000 // at most, for the loop
			if used < units || used > units+pattern {
				t.Errorf("got %d units of fuel, want %d or a little more", used, units)
			}
		})
	}
}

// TestResults has a loop in a function with more results than a byte can count.
func TestResults(t *testing.T) {
	const n = 200
	f := &fuelTank{}
	r := newRuntime(t, f)
	var m Module
	results := Code(repeat(I32(1), n)...)
	m.Memory(1, 1)
	many := m.Func("()->("+strings.TrimSuffix(strings.Repeat("i32,", n), ",")+")", "i32",
		Loop(EmptyType, Get(0), I32(1), Op(I32Add), Tee(0), I32(9), Op(I32LtU), BrIf(0)),
		Get(0), If(EmptyType, results, Op(Return)), results)
	m.Export("run", m.Func("()->i32", "", Call(many), Code(repeat(Op(I32Add), n-1)...)))
	if got, _ := wantSame(t, r, f, m.Bytes()); got.result != n {
		t.Errorf("got %d, want %d", got.result, n)
	}
}
