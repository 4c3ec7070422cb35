package meter_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

const preamble = "\x00asm\x01\x00\x00\x00"

// raw is a module of these sections.
func raw(sections ...[]byte) []byte { return Code([]byte(preamble), Code(sections...)) }

// withCode is a module with a memory, a table, a global, a data and an element
// segment, and a function ()->() with one local, called "run".
func withCode(body ...[]byte) []byte {
	var m Module
	m.Memory(1, 0)
	m.Table(1, 0)
	m.Global("i32", I32(0))
	m.PassiveData([]byte("data"))
	f := m.Func("()->()", "i32", body...)
	m.PassiveElem(f)
	m.FunctionNames("run")
	return m.Bytes()
}

func TestRefused(t *testing.T) {
	memory := func(limits ...byte) []byte { return raw(Section(5, U32(1), limits)) }
	types := Section(1, U32(1), Op(0x60, 0, 0))
	for _, c := range []struct {
		name string
		wasm []byte
		kind error
		want string
	}{
		{"empty", nil, meter.ErrMalformed, "not a WebAssembly module"},
		{"ELF", []byte("\x7fELF\x02\x01\x01\x00"), meter.ErrMalformed, "not a WebAssembly module"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), meter.ErrUnsupported, "component"},
		{"own import", withImport(meter.RefillModule, "x"), meter.ErrReserved, `"terrarium_meter"`},
		{"own export", withExport(meter.FuelExport), meter.ErrReserved, `"terrarium.fuel"`},
		{"own export of a refusal", withExport(meter.RefusedExport), meter.ErrReserved, `"terrarium.refused"`},
		{"own export of a start", withExport(meter.StartExport), meter.ErrReserved, `"terrarium.start"`},

		{"tag section", raw(Section(13, U32(0))), meter.ErrUnsupported, "exception handling"},
		{"unknown section", raw(Section(14, U32(0))), meter.ErrUnsupported, "section 14"},
		{"second section", raw(types, types), meter.ErrMalformed, "a second section 1"},
		{"order", raw(Section(5, U32(0)), types), meter.ErrMalformed, "section 1 comes too late"},
		{"section beyond the end", raw(Op(1, 5, 0)), meter.ErrMalformed, "unexpected end"},
		{"section too long", raw(Section(1, U32(0), Op(0))), meter.ErrMalformed, "section 1 is longer"},
		{"body missing", raw(types, Section(3, U32(1), U32(0))), meter.ErrMalformed, "1 functions are declared, 0 have a body"},
		{"data count", raw(Section(12, U32(1))), meter.ErrMalformed, "data count"},
		{"custom without a name", raw(Section(0, U32(5))), meter.ErrMalformed, "unexpected end"},
		{"number too long", raw(Op(1, 0x80, 0x80, 0x80, 0x80, 0x80, 0)), meter.ErrMalformed, "number too long"},
		{"number too large", raw(Op(1, 0xff, 0xff, 0xff, 0xff, 0x1f)), meter.ErrMalformed, "number too long"},
		{"huge count", raw(Section(1, U32(1<<32-1))), meter.ErrMalformed, "4294967295 types do not fit"},

		{"shared memory", memory(3, 1, 1), meter.ErrUnsupported, "threads"},
		{"64-bit memory", memory(4, 1), meter.ErrUnsupported, "memory64"},
		{"page size", memory(8, 1, 0), meter.ErrUnsupported, "limits of kind 0x08"},
		{"two memories", raw(Section(5, U32(2), Op(0, 1, 0, 1))), meter.ErrUnsupported, "multiple memories"},
		{"memory beyond 4 GiB", memory(1, 1, 0x81, 0x80, 0x04), meter.ErrMalformed, "more than 65536 pages"},
		{"minimum above maximum", memory(1, 2, 1), meter.ErrMalformed, "maximum is below its minimum"},
		{"struct type", raw(Section(1, U32(1), Op(0x5f, 0))), meter.ErrUnsupported, "garbage collection"},
		{"exnref", raw(Section(1, U32(1), Op(0x60, 1, 0x69, 0))), meter.ErrUnsupported, "exception handling"},
		{"typed reference", raw(Section(1, U32(1), Op(0x60, 1, 0x63, 0x70, 0))), meter.ErrUnsupported, "typed function references"},
		{"extended constant", raw(Section(6, U32(1), Op(0x7f, 0), I32(1), I32(1), Op(I32Add, End))), meter.ErrUnsupported, "extended constant"},
		{"global in a constant", raw(Section(6, U32(1), Op(0x7f, 0), GetGlobal(0), Op(End))), meter.ErrMalformed, "no imported global 0"},
		{"imported tag", raw(types, Section(2, U32(1), Name("a"), Name("b"), Op(4, 0, 0))), meter.ErrUnsupported, "exception handling"},
		{"name not UTF-8", withExport("\xff"), meter.ErrMalformed, "not UTF-8"},
		{"start", raw(Section(8, U32(0))), meter.ErrMalformed, "no function 0"},
		{"start with a result", func() []byte {
			var m Module
			m.Start(m.Func("()->i32", "", I32(1)))
			return m.Bytes()
		}(), meter.ErrMalformed, "a start function of type ()->i32"},

		{"atomics", withCode(Op(0xfe, 0x10, 2, 0)), meter.ErrUnsupported, `function 0 ("run"), byte`},
		{"atomics by name", withCode(Op(0xfe, 0x10, 2, 0)), meter.ErrUnsupported, "threads"},
		{"try", withCode(Op(0x06, 0x40)), meter.ErrUnsupported, "exception handling"},
		{"try_table", withCode(Op(0x1f, 0x40, 0)), meter.ErrUnsupported, "exception handling"},
		{"return_call", withCode(Op(0x12, 0)), meter.ErrUnsupported, "tail calls"},
		{"call_ref", withCode(Op(0x14, 0)), meter.ErrUnsupported, "typed function references"},
		{"struct.new", withCode(Op(0xfb, 0, 0)), meter.ErrUnsupported, "garbage collection"},
		{"relaxed vector", withCode(Op(0xfd, 0x80, 0x02)), meter.ErrUnsupported, "relaxed SIMD"},
		{"reserved vector", withCode(Op(0xfd, 0x9a, 0x01)), meter.ErrUnsupported, "opcode 0xfd 0x9a"},
		{"reserved", withCode(Op(0x27)), meter.ErrUnsupported, "opcode 0x27"},
		{"reserved misc", withCode(Op(0xfc, 18)), meter.ErrUnsupported, "opcode 0xfc 0x12"},
		{"memory in an operand", withCode(Op(I32Load, 0x42, 1, 0)), meter.ErrUnsupported, "multiple memories"},
		{"second memory", withCode(Op(0x3f, 1)), meter.ErrUnsupported, "multiple memories"},

		// One too many of each would be ours.
		{"local", withCode(Get(1)), meter.ErrMalformed, "no local 1"},
		{"global", withCode(GetGlobal(1)), meter.ErrMalformed, "no global 1"},
		{"function", withCode(Call(1)), meter.ErrMalformed, "no function 1"},
		{"reference", withCode(RefFunc(1)), meter.ErrMalformed, "no function 1"},
		{"type", withCode(CallIndirect(1, 0)), meter.ErrMalformed, "no type 1"},
		{"block type", withCode(Op(0x02, 1, End)), meter.ErrMalformed, "no such type"},
		{"table", withCode(CallIndirect(0, 1)), meter.ErrMalformed, "no table 1"},
		{"label", withCode(Br(1)), meter.ErrMalformed, "no label 1"},
		{"label out of reach", withCode(Op(Unreachable), Br(1)), meter.ErrMalformed, "no label 1"},
		{"data segment", withCode(Misc(9, 1)), meter.ErrMalformed, "no data segment 1"},
		{"element segment", withCode(Misc(13, 1)), meter.ErrMalformed, "no element segment 1"},
		{"exported function", withExport("f"), meter.ErrMalformed, "no function 0"},

		{"else without if", withCode(Op(Else)), meter.ErrMalformed, "else without its if"},
		{"second else", withCode(I32(0), If(EmptyType, Op(Else), Op(Else))), meter.ErrMalformed, "else without its if"},
		{"code after the end", withCode(Op(End)), meter.ErrMalformed, "code after the end"},
		{"block left open", withCode(Op(0x02, 0x40)), meter.ErrMalformed, "unexpected end"},
		{"operand cut off", withCode(Op(0x44)), meter.ErrMalformed, "unexpected end"},
		{"labels beyond the end", withCode(Op(0x0e), U32(1<<31)), meter.ErrMalformed, "2147483648 labels do not fit"},
		{"constant too long", withCode(Op(0x41, 0xff, 0xff, 0xff, 0xff, 0x3f)), meter.ErrMalformed, "number too long"},
		{"wide constant too long", withCode(Op(0x42), bytes.Repeat(Op(0x80), 9), Op(2)), meter.ErrMalformed, "number too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantRefused(t, c.wasm, meter.Config{}, c.kind, c.want)
		})
	}
}

func withImport(module, name string) []byte {
	var m Module
	m.Import(module, name, "()->()")
	return m.Bytes()
}

func withExport(name string) []byte {
	var m Module
	m.Export(name, 0)
	return m.Bytes()
}

func TestLimits(t *testing.T) {
	many := func(n int, add func(m *Module)) []byte {
		var m Module
		for range n {
			add(&m)
		}
		return m.Bytes()
	}
	locals := raw(Section(1, U32(1), Op(0x60, 0, 0)), Section(3, U32(1), U32(0)),
		Section(10, U32(1), Op(7, 1), U32(10_000_000), Op(0x7f, End)))
	nested := func(n int) []byte {
		return withCode(bytes.Repeat(Op(0x02, EmptyType), n), bytes.Repeat(Op(End), n))
	}
	type config = meter.Config
	for _, c := range []struct {
		name string
		wasm []byte
		c    config
		want string
	}{
		{"module", make([]byte, 101), config{MaxModuleSize: 100}, "101 bytes, at most 100"},
		{"body", withCode(work(100)), config{MaxBodySize: 100}, "at most 100"},
		{"types", raw(Section(1, U32(3), bytes.Repeat(Op(0x60, 0, 0), 3))), config{MaxTypes: 2}, "3 types, at most 2"},
		{"imports", many(3, func(m *Module) { m.Import("a", "b", "()->()") }), config{MaxImports: 2}, "3 imports, at most 2"},
		{"functions", many(3, func(m *Module) { m.Func("()->()", "") }), config{MaxFunctions: 2}, "3 functions, at most 2"},
		{"tables", many(3, func(m *Module) { m.Table(0, 0) }), config{MaxTables: 2}, "3 tables, at most 2"},
		{"globals", many(3, func(m *Module) { m.Global("i32", I32(0)) }), config{MaxGlobals: 2}, "3 globals, at most 2"},
		{"exports", many(3, func(m *Module) { m.Export("f", 0) }), config{MaxExports: 2}, "3 exports, at most 2"},
		{"data", many(3, func(m *Module) { m.PassiveData(nil) }), config{MaxSegments: 2}, "3 data segments, at most 2"},
		{"elements", many(3, func(m *Module) { m.PassiveElem() }), config{MaxSegments: 2}, "3 element segments, at most 2"},
		{"locals", locals, config{}, "more than 32768 locals"},
		{"a name", withExport(strings.Repeat("x", 100_001)), config{}, "a name of 100001 bytes, at most 100000"},
		{"parameters", raw(Section(1, U32(300), bytes.Repeat(Code(Op(0x60), U32(1000), bytes.Repeat(Op(0x7f), 1000), U32(0)), 300))), config{},
			"more than 262144 parameters and results"},
		{"elements of a segment", raw(Section(9, U32(1), Op(1, 0), U32(1<<20+1), make([]byte, 1<<20+1))), config{}, "1048577 elements, at most 1048576"},
		{"elements of all segments", raw(Section(1, U32(1), Op(0x60, 0, 0)), Section(3, U32(1), U32(0)),
			Section(9, U32(2), bytes.Repeat(Code(Op(1, 0), U32(1<<20), make([]byte, 1<<20)), 2))), config{}, "more than 1048576 elements"},
		{"depth", nested(11), config{MaxDepth: 10}, "more than 10 blocks"},
		{"loops", withCode(bytes.Repeat(Op(0x03, EmptyType), 11), bytes.Repeat(Op(End), 11)), config{MaxLoopDepth: 10}, "more than 10 loops"},
		{"labels", withCode(bytes.Repeat(Block(EmptyType, I32(0), BrTable(0, 0, 0)), 4)), config{MaxLabels: 10}, "more than 10 labels"},
		{"default depth", nested(100_000), config{}, "more than 65536 blocks"},
		{"joins", nested(11), config{MaxJoins: 10}, "more than 10 blocks and branches times locals"},
		{"flow", nested(200), config{MaxFlow: 1}, "more than 1 Mi"},
		{"joins of many values", takers(20, 100), config{MaxJoins: 1000}, "more than 1000 blocks and branches times locals"},
		{"flow of many values", takers(200, 500), config{MaxFlow: 20}, "more than 20 Mi"},
		{"values of blocks", leavers(func(_, _, block uint32) []byte { // 400 inside each other
			enter := Code(Op(0x02), S64(int64(block)))
			return Code(bytes.Repeat(enter, 400), bytes.Repeat(I32(0), 1000), bytes.Repeat(Op(End), 400), bytes.Repeat(Op(Drop), 1000))
		}), config{}, passed},
		{"values of branches", leavers(func(give, take, block uint32) []byte {
			return Code(Op(0x02), S64(int64(block)), Call(give), bytes.Repeat(Code(I32(1), BrIf(0)), 100), Op(End), Call(take))
		}), config{}, passed},
		{"values of branch tables", leavers(func(give, take, block uint32) []byte {
			return Code(Op(0x02), S64(int64(block)), Call(give), I32(1), BrTable(make([]uint32, 100)...), Op(End), Call(take))
		}), config{}, passed},
		{"values of calls", leavers(func(give, take, _ uint32) []byte {
			return bytes.Repeat(Code(Call(give), Call(take)), 100)
		}), config{}, passed},
		{"values of returns", leavers(func(give, _, _ uint32) []byte {
			return Code(Call(give), Op(Return))
		}), config{}, passed},
		{"values of functions", many(300, func(m *Module) { m.Func("("+thousand+")->()", "") }), config{}, passed},
		{"flow of all", many(30, func(m *Module) {
			m.Func("()->()", "i32", Block(EmptyType, bytes.Repeat(Code(Get(0), BrIf(0)), 60)))
		}), config{MaxFlow: 4}, "more than 4 Mi"},
		{"memory", many(1, func(m *Module) { m.Memory(3, 0) }), config{MaxMemoryPages: 2}, "a memory of 3, at most 2"},
		{"table entries", many(1, func(m *Module) { m.Table(1<<20+1, 0) }), config{}, "a table of 1048577"},
		{"a million functions", raw(Section(1, U32(1), Op(0x60, 0, 0)), Section(3, U32(1_000_000), make([]byte, 1_000_000))),
			config{}, "1000000 functions, at most 262144"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantRefused(t, c.wasm, c.c, meter.ErrLimit, c.want)
		})
	}
	// Code that is nothing but branches is refused before it takes up memory.
	wantRefused(t, withCode(bytes.Repeat(Loop(EmptyType), 1<<21)), config{}, meter.ErrLimit, "1048576 regions")
	grown := withCode(Loop(EmptyType, bytes.Repeat(Code(I32(1), BrIf(0)), 500_000)))
	if _, _, err := meter.Rewrite(grown, config{}); !errors.Is(err, meter.ErrLimit) {
		t.Errorf("what grows too much: got %v, want %v", err, meter.ErrLimit)
	}
	if _, _, err := meter.Rewrite(nested(65_535), config{MaxFlow: 1 << 20}); err != nil {
		t.Errorf("65535 blocks in a function: got %v, want no error", err)
	}
}

// TestCut cuts a module off everywhere: nothing of it may be taken for a module,
// but where a section ends and nothing more was promised.
func TestCut(t *testing.T) {
	whole := withCode(Loop(EmptyType, I32(1), BrIf(0)), I32(0), I32(0), I32(9), Misc(11, 0))
	if _, err := meter.Inspect(whole, meter.Config{}); err != nil {
		t.Fatal(err)
	}
	accepted := 0
	for n := range whole {
		if _, _, err := meter.Rewrite(whole[:n], meter.Config{}); err == nil {
			accepted++
		}
	}
	// Behind the preamble and the types, and behind the data: the name section is
	// no part of what must be there.
	if accepted != 3 {
		t.Errorf("%d pieces were accepted, want 3", accepted)
	}
}

// TestCustom has a custom section of 60 MB, which is skipped and dropped.
func TestCustom(t *testing.T) {
	var m Module
	m.Func("()->()", "")
	m.Custom("dwarf", make([]byte, 60_000_000))
	wasm := m.Bytes()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, _, err := meter.Rewrite(wasm, meter.Config{})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	allocated := after.TotalAlloc - before.TotalAlloc
	if len(out) > 1000 {
		t.Errorf("got %d bytes, want a few", len(out))
	}
	if allocated > 100<<10 {
		t.Errorf("got %d bytes allocated, want a few", allocated)
	}
}

// passed is what is said of a module whose code passes many values on.
const passed = "more than 262144 values passed on"

var thousand = strings.TrimSuffix(strings.Repeat("i32,", 1000), ",")

// leavers returns a module with 140 functions of a body that is made of what gives
// and takes a thousand values: the numbers of two functions, and of a block's type.
// They give a thousand values if their body ends with a return.
func leavers(body func(give, take, block uint32) []byte) []byte {
	var m Module
	give := m.Func("()->("+thousand+")", "", bytes.Repeat(I32(0), 1000))
	take := m.Func("("+thousand+")->()", "")
	code := body(give, take, m.Type("()->("+thousand+")"))
	signature := "()->()"
	if code[len(code)-1] == Return {
		signature = "()->(" + thousand + ")"
	}
	for range 140 {
		m.Func(signature, "", code)
	}
	return m.Bytes()
}

// takers returns a module with so many blocks, each of which takes and leaves so
// many values.
func takers(blocks, values int) []byte {
	list := strings.TrimSuffix(strings.Repeat("i32,", values), ",")
	var m Module
	t := m.Type("(" + list + ")->(" + list + ")")
	body := bytes.Repeat(I32(0), values)
	for range blocks {
		body = append(body, Code(Op(0x02), S64(int64(t)), Op(End))...)
	}
	m.Export("f", m.Func("()->()", "", body, bytes.Repeat(Op(Drop), values)))
	return m.Bytes()
}
