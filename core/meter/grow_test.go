//go:build !wasip1

package meter_test

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

// asking is a Config that has modules ask before they grow.
var asking = meter.Config{AskGrow: true}

// TestAskGrow grows a memory of 2 pages, of which there may be 10, by way of a host
// that says yes or no.
func TestAskGrow(t *testing.T) {
	const page = 1 << 15 // what one costs
	const no = 1<<32 - 1 // what memory.grow answers
	for _, c := range []struct {
		name    string
		config  meter.Config
		custom  string // a custom section
		by      uint32
		answer  uint32 // of the host
		asked   []uint32
		result  uint64
		pages   uint32 // in the end
		refused uint64
		trap    string
	}{
		{name: "allowed", by: 3, answer: 1, asked: []uint32{3}, result: 2, pages: 5},
		{name: "allowed by any other number", by: 3, answer: 1 << 31, asked: []uint32{3}, result: 2, pages: 5},
		{name: "allowed all", by: 8, answer: 1, asked: []uint32{8}, result: 2, pages: 10},
		{name: "refused", by: 3, answer: 0, asked: []uint32{3}, result: no, pages: 2, refused: 1},
		{name: "refused, in Go's runtime", custom: "go:buildid", by: 3, answer: 0, asked: []uint32{3}, pages: 2, refused: 1, trap: "unreachable"},
		{name: "by nothing", by: 0, answer: 0, result: 2, pages: 2},
		{name: "beyond the module's own maximum", by: 9, answer: 1, result: no, pages: 2},
		{name: "beyond what any memory has", by: 65_535, answer: 1, result: no, pages: 2},
		{name: "as much as there are numbers", by: 1<<32 - 1, answer: 1, result: no, pages: 2},
		{name: "so much that it comes round to nothing", by: 1<<32 - 2, answer: 1, result: no, pages: 2},
		{name: "as far as Config lets it", config: meter.Config{MaxMemoryPages: 7}, by: 5, answer: 1, asked: []uint32{5}, result: 2, pages: 7},
		{name: "further than Config lets it", config: meter.Config{MaxMemoryPages: 7}, by: 6, answer: 1, result: no, pages: 2, refused: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fuelTank{answer: c.answer}
			r := newRuntime(t, f)
			var m Module
			m.Memory(2, 10)
			m.ExportMemory("memory")
			m.Custom(cmp.Or(c.custom, "none"), nil)
			m.Export("run", m.Func("(i32)->i32", "", Get(0), MemoryGrow()))
			c.config.AskGrow = true
			metered := rewrite(t, m.Bytes(), c.config)
			got, instance := run(t, r, metered, uint64(c.by))
			if got.result != c.result || got.size != c.pages<<16 || !strings.Contains(got.trap, c.trap) || (c.trap == "") != (got.trap == "") {
				t.Errorf("got %+v, want %d and %d pages, trap %q", got, int32(c.result), c.pages, c.trap)
			}
			if !slices.Equal(f.wishes, c.asked) {
				t.Errorf("asked for %v, want %v", f.wishes, c.asked)
			}
			if refused := instance.ExportedGlobal(meter.RefusedExport).Get(); refused != c.refused {
				t.Errorf("%s: got %d, want %d", meter.RefusedExport, refused, c.refused)
			}
			grown := int64(c.pages-2) * page
			if used := f.used(instance); used < grown || used > grown+20 {
				t.Errorf("got %d units of fuel, want %d or a little more", used, grown)
			}
		})
	}
}

// Without a maximum of its own a module may ask for all that there is, and not for
// more.
func TestAskGrowWithoutMaximum(t *testing.T) {
	f := &fuelTank{}
	r := newRuntime(t, f)
	var m Module
	m.Memory(1, 0)
	m.Export("run", m.Func("()->i32", "",
		I32(65_536), MemoryGrow(), I32(-1), MemoryGrow(), I32(-65_536), MemoryGrow(), I32(65_535), MemoryGrow(),
		Op(I32And, I32And, I32And)))
	got, _ := run(t, r, rewrite(t, m.Bytes(), asking))
	if want := []uint32{65_535}; got.result != 1<<32-1 || !slices.Equal(f.wishes, want) {
		t.Errorf("got %+v, asked for %v, want -1 and %v", got, f.wishes, want)
	}
}

// The memory of another module may be larger than the one that is asked for, and is
// then not grown where nobody is asked.
func TestAskGrowImported(t *testing.T) {
	f := &fuelTank{answer: 1}
	r := newRuntime(t, f)
	var m Module
	m.Memory(2, 10)
	m.ExportMemory("memory")
	if _, err := r.InstantiateWithConfig(context.Background(), m.Bytes(), wazero.NewModuleConfig().WithName("env")); err != nil {
		t.Fatal(err)
	}
	m = Module{}
	m.ImportMemory("env", "memory", 2)
	m.Export("run", m.Func("()->i32", "", I32(3), MemoryGrow(), Op(Drop), I32(1), MemoryGrow()))
	got, _ := run(t, r, rewrite(t, m.Bytes(), meter.Config{MaxMemoryPages: 4, AskGrow: true}))
	if want := []uint32{1}; got.result != 2 || !slices.Equal(f.wishes, want) {
		t.Errorf("got %+v, asked for %v, want 2 and %v", got, f.wishes, want)
	}
}

// TestAskGrowFuel has refill find in the global what is left, also where a loop has
// the fuel in a local, and growing charged before the guest goes on.
func TestAskGrowFuel(t *testing.T) {
	var m Module
	m.Memory(1, 0)
	m.Export("run", m.Func("()->()", "", Loop(EmptyType, I32(1), MemoryGrow(), I32(1), Op(I32Add), BrIf(0))))
	plain, askingToo := &fuelTank{}, &fuelTank{answer: 1}
	_, left := run(t, newRuntimeWith(t, plain, ofPages(1000)), rewrite(t, m.Bytes(), meter.Config{MaxMemoryPages: 1000}))
	_, asked := run(t, newRuntimeWith(t, askingToo, ofPages(1000)), rewrite(t, m.Bytes(), meter.Config{MaxMemoryPages: 1000, AskGrow: true}))
	if got, want := askingToo.used(asked), plain.used(left); got != want {
		t.Errorf("got %d units of fuel, want %d as without asking", got, want)
	}
	if got, want := len(askingToo.wishes), 999; got != want {
		t.Errorf("asked %d times, want %d", got, want)
	}
}

func ofPages(n uint32) wazero.RuntimeConfig {
	return wazero.NewRuntimeConfig().WithMemoryLimitPages(n)
}

// TestAskGrowNot has modules that can't grow: they import no more than others, and
// are what they are without AskGrow.
func TestAskGrowNot(t *testing.T) {
	for name, build := range map[string]func(m *Module){
		"no memory":   func(m *Module) { m.Func("()->()", "", Call(0)) },
		"memory.size": func(m *Module) { m.Memory(1, 0); m.Func("()->i32", "", MemorySize()); m.FunctionNames("size") },
		"table.grow": func(m *Module) {
			m.Memory(1, 0)
			m.Table(1, 0)
			m.Func("()->i32", "", Op(RefNull, FuncrefType), I32(1), Misc(15, 0), Loop(EmptyType, I32(0), BrIf(0)))
		},
	} {
		var m Module
		build(&m)
		if got, want := rewrite(t, m.Bytes(), asking), rewrite(t, m.Bytes(), meter.Config{}); !bytes.Equal(got, want) {
			t.Errorf("%s: got  %x\nwant %x", name, got, want)
		}
	}
}

// TestAskGrowModule looks at what is added, and at what moves to other indices.
func TestAskGrowModule(t *testing.T) {
	var m Module
	m.Import("env", "f", "()->()")
	m.Memory(1, 0)
	m.Table(3, 0)
	g := m.Func("()->()", "", Call(0), Call(1), RefFunc(1), Op(Drop), I32(1), MemoryGrow(), Op(Drop))
	m.Elem(0, 0, g)
	m.Export("g", g)
	m.Start(g)
	m.FunctionNames("f", "g")
	metered := rewrite(t, m.Bytes(), asking)
	again, err := meter.Inspect(rename(metered), meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	imports := []meter.Import{
		{Module: "env", Name: "f", Type: "()->()"},
		{Module: "terrarium_METER", Name: "refill", Type: "()->()"},
		{Module: "terrarium_METER", Name: "grow", Type: "(i32)->i32"},
	}
	if !slices.Equal(again.Imports, imports) {
		t.Errorf("got imports %v, want %v", again.Imports, imports)
	}
	exports := []meter.Export{
		{Name: "g", Index: 3, Type: "()->()"},
		{Name: "terrarium.FUEL", Kind: meter.KindGlobal, Index: 0, Type: "var i64"},
		{Name: "terrarium.REFUSED", Kind: meter.KindGlobal, Index: 1, Type: "var i32"},
		{Name: "terrarium.START", Index: 3, Type: "()->()"},
	}
	if !slices.Equal(again.Exports, exports) {
		t.Errorf("got exports %v, want %v", again.Exports, exports)
	}
	if want := Code(Call(0), Call(3), RefFunc(3)); !bytes.Contains(body(metered), want) {
		t.Errorf("got code %x, want %x in it", body(metered), want)
	}
	if want := Section(9, U32(1), Op(0), I32(0), Op(End), U32(2), U32(0), U32(3)); !bytes.Contains(metered, want) {
		t.Errorf("got %x, want the elements %x in it", metered, want)
	}
	names := Section(0, Name("name"), Section(1, U32(5), U32(0), Name("f"), U32(1), Name("terrarium_meter.refill"),
		U32(2), Name("terrarium_meter.grow"), U32(3), Name("g"), U32(4), Name("terrarium_meter.memory.grow")))
	if !bytes.HasSuffix(metered, names) {
		t.Errorf("got %q, want names %q", metered, names)
	}
}

// TestAskGrowSame runs random modules with a host that always says yes.
func TestAskGrowSame(t *testing.T) {
	f := &fuelTank{}
	r := newRuntime(t, f)
	asked := 0
	for seed := range 100 {
		wantSame(t, r, f, Generate(seedBytes(5000+seed)), 1, 2)
		asked += len(f.wishes)
	}
	if asked == 0 {
		t.Error("no module has asked")
	}
}

// A guest can neither call the function that is asked nor bring one of its own.
func TestAskGrowHidden(t *testing.T) {
	wantRefused(t, withImport(meter.RefillModule, meter.GrowName), asking, meter.ErrReserved, `"terrarium_meter"`)
	// There are two imports and a helper more than the guest has functions, and
	// these are the numbers that they would have if nothing moved.
	for i := uint32(1); i < 5; i++ {
		for _, code := range [][]byte{Call(i), RefFunc(i)} {
			wasm := withCode(I32(1), MemoryGrow(), code)
			wantRefused(t, wasm, asking, meter.ErrMalformed, "no function")
		}
	}
	var m Module
	m.Memory(1, 0)
	m.Func("()->i32", "", I32(1), MemoryGrow())
	m.Export("ask", 1)
	wantRefused(t, m.Bytes(), asking, meter.ErrMalformed, "no function 1")
}
