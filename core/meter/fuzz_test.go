//go:build !wasip1

package meter_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

// FuzzRewrite rewrites any bytes: the answer is bounded, and valid if they were.
func FuzzRewrite(f *testing.F) {
	for seed := range 20 {
		f.Add(Generate(seedBytes(seed)))
	}
	f.Add(withCode(Loop(EmptyType, Call(0), I32(1), BrIf(0)), I32(0), I32(0), I32(9), Misc(11, 0)))
	f.Add(withCode(Call(0), I32(1), MemoryGrow(), Op(Drop)))
	r := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter())
	f.Cleanup(func() { r.Close(context.Background()) })
	compiles := func(wasm []byte) error {
		c, err := r.CompileModule(context.Background(), wasm)
		if err == nil {
			c.Close(context.Background())
		}
		return err
	}
	f.Fuzz(func(t *testing.T, wasm []byte) {
		if len(wasm) > 1<<16 {
			return
		}
		c := meter.Config{MaxMemoryPages: 100, MaxTableEntries: 1000, MaxLocals: 1000}
		out, m, err := meter.Rewrite(wasm, c)
		if inspected, inspectErr := meter.Inspect(wasm, c); (inspectErr == nil) != (err == nil) {
			t.Fatalf("got %v from Rewrite, %v from Inspect", err, inspectErr)
		} else if inspected != nil && m.HasNames != inspected.HasNames {
			t.Fatalf("got HasNames %v from Rewrite, %v from Inspect", m.HasNames, inspected.HasNames)
		}
		if err != nil {
			return
		}
		original := compiles(wasm)
		// added looks at what was made of it, and returns how many imports and
		// exports it has more.
		added := func(out []byte) (imports, exports int) {
			t.Helper()
			if len(out) > 5*len(wasm)+2<<20 {
				t.Errorf("got %d bytes out of %d", len(out), len(wasm))
			}
			again, err := meter.Inspect(rename(out), meter.Config{})
			if err != nil {
				t.Fatalf("what was rewritten would be refused: %v", err)
			}
			metered := compiles(out)
			if original != nil && strings.Contains(original.Error(), "custom") {
				metered = original // what is in a custom section is no reason to refuse a module
			}
			if (original == nil) != (metered == nil) {
				t.Errorf("the original: %v, metered: %v", original, metered)
			}
			exports = len(again.Exports) - len(m.Exports)
			if m.HasStart {
				exports--
			}
			return len(again.Imports) - len(m.Imports), exports
		}
		imports, exports := added(out)
		if imports != 1 {
			t.Errorf("got %d imports more, want 1", imports)
		}

		c.AskGrow = true
		asks, _, err := meter.Rewrite(wasm, c)
		if errors.Is(err, meter.ErrLimit) {
			return // indices are higher, and may take more bytes than the code may grow by
		}
		if err != nil {
			t.Fatalf("with AskGrow: got %v, want no error", err)
		}
		if exports == 1 { // the fuel alone: its memory can't grow
			if !bytes.Equal(asks, out) {
				t.Errorf("with AskGrow: got %d bytes, want the same %d as without", len(asks), len(out))
			}
			return
		}
		if imports, more := added(asks); imports != 2 || more != exports {
			t.Errorf("with AskGrow: got %d imports and %d exports more, want 2 and %d", imports, more, exports)
		}
	})
}

// FuzzSame runs random modules as they are and metered.
func FuzzSame(f *testing.F) {
	for seed := range 200 {
		f.Add(seedBytes(seed), uint32(seed), uint32(7))
	}
	tank := &fuelTank{}
	r := newRuntime(f, tank)
	f.Fuzz(func(t *testing.T, seed []byte, a, b uint32) {
		if len(seed) > 4096 {
			return
		}
		_, used := wantSame(t, r, tank, Generate(seed), uint64(a), uint64(b))
		if used <= 0 {
			t.Errorf("got %d units of fuel, want some", used)
		}
	})
}

// TestGenerate makes sure that the modules FuzzSame runs are worth it.
func TestGenerate(t *testing.T) {
	tank := &fuelTank{}
	r := newRuntime(t, tank)
	returned, traps := 0, map[string]int{}
	for seed := range 200 {
		o, _ := run(t, r, Generate(seedBytes(seed)), 1, 2)
		if o.trap == "" {
			returned++
		}
		traps[o.trap]++
	}
	if returned < 100 || len(traps) < 5 {
		t.Errorf("%d of 200 returned, %d kinds of ends, want 100 and 5 at least: %v", returned, len(traps), traps)
	}
}
