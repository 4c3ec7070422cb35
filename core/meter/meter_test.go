package meter_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

const (
	brk    = 0x0c // a branch
	fuel   = 0    // the global, in modules without others
	refill = 0    // the function, in modules without imports
)

// charge and check are what is expected to be added where a global has the fuel.
func charge(units int64) []byte {
	return Code(GetGlobal(fuel), I64(units), Op(0x7d), SetGlobal(fuel))
}

func check() []byte {
	return Code(GetGlobal(fuel), I64(0), Op(0x59), If(EmptyType, Op(Else), Call(refill)))
}

// chargeLocal is the same where local has it.
func chargeLocal(local uint32, units int64) []byte {
	return Code(Get(local), I64(units), Op(0x7d), Set(local))
}

// again is a checked branch to a loop. helper is the index of the function that
// refills a local.
func again(label, local, helper uint32) []byte {
	return Code(Get(local), I64(0), Op(0x59), BrIf(label), Get(local), Call(helper), Set(local), Br(label))
}

// work is n instructions that cost a unit each.
func work(n int) []byte {
	return bytes.Repeat(Code(I32(1), Op(Drop)), n/2)
}

func TestRewriteBody(t *testing.T) {
	store := func(local uint32) []byte { return Code(Get(local), SetGlobal(fuel)) }
	load := func(local uint32) []byte { return Code(GetGlobal(fuel), Set(local)) }
	for _, c := range []struct {
		name              string
		signature, locals string
		body, want        []byte
		wantLocals        string // if it has others
	}{
		{
			name: "small leaf is charged without a check", signature: "(i32,i32)->i32",
			body: Code(Get(0), Get(1), Op(I32Add)),
			want: Code(charge(3), Get(0), Get(1), Op(I32Add)),
		}, {
			name: "large leaf is checked", signature: "()->()",
			body: work(40),
			want: Code(charge(40), check(), work(40)),
		}, {
			name: "caller is checked, calls are shifted", signature: "()->()",
			body: Call(0),
			want: Code(charge(8), check(), Call(1)),
		}, {
			name: "code around an if is one region", signature: "()->()",
			body: Code(work(20), I32(1), If(EmptyType, work(50)), work(20)),
			want: Code(charge(42), check(), work(20), I32(1), If(EmptyType, charge(50), work(50)), work(20)),
		}, {
			name: "branches are charged ahead up to as much again", signature: "()->()",
			body: Code(work(40), I32(1), If(EmptyType, work(20), Op(Else), work(30))),
			want: Code(charge(62), check(), work(40), I32(1), If(EmptyType, work(20), Op(Else), charge(30), work(30))),
		}, {
			name: "what follows a block that may be left is apart", signature: "()->()",
			body: Code(Block(EmptyType, I32(1), BrIf(1), I32(1), BrIf(0), work(40)), work(30)),
			want: Code(charge(4), check(), Block(EmptyType, I32(1), BrIf(1), I32(1), BrIf(0), charge(40), work(40)), charge(30), work(30)),
		}, {
			name: "what follows a block that is only ended early is not", signature: "()->()",
			body: Code(Block(EmptyType, I32(1), BrIf(0), work(40)), work(30)),
			want: Code(charge(32), check(), Block(EmptyType, I32(1), BrIf(0), charge(40), work(40)), work(30)),
		}, {
			name: "code that is not reached costs nothing", signature: "()->()",
			body: Code(Op(Return), work(100)),
			want: Code(charge(1), Op(Return), work(100)),
		}, {
			name: "a loop that nothing goes back to is none", signature: "()->()",
			body: Code(Loop(EmptyType, work(10)), work(10)),
			want: Code(charge(20), Loop(EmptyType, work(10)), work(10)),
		}, {
			name: "a loop is charged for each turn and checked on going back", signature: "(i32)->()", wantLocals: "i64",
			body: Code(work(10), Loop(EmptyType, work(20), Get(0), BrIf(0)), work(10)),
			want: Code(load(1), chargeLocal(1, 20), Get(1), I64(0), Op(0x59),
				If(EmptyType, Op(Else), Get(1), Call(2), Set(1)),
				Block(EmptyType,
					work(10),
					Loop(EmptyType, chargeLocal(1, 22), work(20), Get(0), If(EmptyType, again(1, 1, 2))),
					work(10)),
				store(1)),
		}, {
			name: "return leaves through the one end", signature: "()->i32", locals: "i32", wantLocals: "i32,i64",
			body: Code(I32(1), If(EmptyType, I32(7), Op(Return)), Loop(EmptyType, Br(0)), I32(1)),
			want: Code(load(1), chargeLocal(1, 4),
				Block(I32Type,
					I32(1), If(EmptyType, I32(7), Op(brk, 1)),
					Loop(EmptyType, chargeLocal(1, 1), again(0, 1, 2)),
					I32(1)),
				store(1)),
		}, {
			name: "the global has the fuel during calls", signature: "()->()", wantLocals: "i64",
			body: Code(Loop(EmptyType, Call(0), Call(0), I32(0), BrIf(0))),
			want: Code(load(0), Get(0), I64(0), Op(0x59), If(EmptyType, Op(Else), Get(0), Call(2), Set(0)),
				Block(EmptyType,
					Loop(EmptyType, chargeLocal(0, 18), store(0), Call(1), Call(1), I32(0), load(0), If(EmptyType, again(1, 0, 2)))),
				store(0)),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var m Module
			m.Func(c.signature, c.locals, c.body)
			got, _, err := meter.Rewrite(m.Bytes(), meter.Config{})
			if err != nil {
				t.Fatal(err)
			}
			var w Module
			if c.wantLocals == "" {
				c.wantLocals = c.locals
			}
			w.Func(c.signature, c.wantLocals, c.want)
			if want := body(w.Bytes()); !bytes.Contains(got, want) {
				t.Errorf("got  %x\nwant %x", body(got), want)
			}
		})
	}
}

// body returns the content of the code section, without the count.
func body(wasm []byte) []byte {
	for p := wasm[8:]; len(p) > 0; {
		n, size := 0, 1
		for shift := 0; ; shift += 7 {
			n |= int(p[size]&0x7f) << shift
			if size++; p[size-1] < 0x80 {
				break
			}
		}
		if p[0] == 10 {
			return p[size+1 : size+n]
		}
		p = p[size+n:]
	}
	return nil
}

func TestModule(t *testing.T) {
	var m Module
	m.Import("env", "puts", "(i32,i64)->i32")
	m.ImportGlobal("env", "base", "i32")
	g := m.Global("f64", Code(Op(0x44), make([]byte, 8)))
	f := m.Func("()->(i32,externref)", "")
	m.Memory(2, 9)
	m.Table(3, 0)
	m.Elem(0, f)
	m.PassiveData([]byte("abc"))
	m.Start(m.Func("()->()", ""))
	m.ExportMemory("memory")
	m.ExportGlobal("g", g)
	m.Export("f", f)
	m.FunctionNames("puts", "f")
	want := &meter.Module{
		Imports: []meter.Import{
			{Module: "env", Name: "puts", Kind: meter.KindFunc, Type: "(i32,i64)->i32"},
			{Module: "env", Name: "base", Kind: meter.KindGlobal, Type: "i32"},
		},
		Exports: []meter.Export{
			{Name: "memory", Kind: meter.KindMemory},
			{Name: "g", Kind: meter.KindGlobal, Index: 1, Type: "var f64"},
			{Name: "f", Kind: meter.KindFunc, Index: 1, Type: "()->(i32,externref)"},
		},
		Tables:    []meter.Table{{Limits: meter.Limits{Min: 3}, Type: "funcref"}},
		Memory:    meter.Limits{Min: 2, Max: 9, HasMax: true},
		HasMemory: true, HasStart: true, HasNames: true,
		Types: 3, Functions: 2, Globals: 1, DataSegments: 1, ElemSegments: 1,
	}
	inspected, err := meter.Inspect(m.Bytes(), meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, inspected); diff != "" {
		t.Errorf("Inspect (-want +got):\n%s", diff)
	}
	metered, rewritten, err := meter.Rewrite(m.Bytes(), meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, rewritten); diff != "" {
		t.Errorf("Rewrite (-want +got):\n%s", diff)
	}

	// What is added to it, and to what indices it moves.
	again, err := meter.Inspect(rename(metered), meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	want.Imports = append(want.Imports, meter.Import{Module: "terrarium_METER", Name: "refill", Type: "()->()"})
	want.Exports[2].Index = 2
	want.Exports = append(want.Exports, meter.Export{Name: "terrarium.FUEL", Kind: meter.KindGlobal, Index: 2, Type: "var i64"},
		meter.Export{Name: "terrarium.START", Index: 3, Type: "()->()"})
	want.HasStart = false // that is the host's to call
	want.Tables[0].Max, want.Tables[0].HasMax = 1<<20, true
	want.Types, want.Globals = 4, 2
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("the metered module (-want +got):\n%s", diff)
	}
}

// rename gives a metered module names that are not reserved.
func rename(metered []byte) []byte {
	p := bytes.ReplaceAll(metered, []byte(meter.RefillModule), []byte("terrarium_METER"))
	p = bytes.ReplaceAll(p, []byte(meter.StartExport), []byte("terrarium.START"))
	p = bytes.ReplaceAll(p, []byte(meter.RefusedExport), []byte("terrarium.REFUSED"))
	return bytes.ReplaceAll(p, []byte(meter.FuelExport), []byte("terrarium.FUEL"))
}

func TestNames(t *testing.T) {
	named := func(content ...[]byte) []byte {
		var m Module
		m.Import("env", "f", "()->()")
		m.Func("()->()", "", Loop(EmptyType, Br(0)))
		m.Custom("name", Code(content...))
		return m.Bytes()
	}
	functions := Section(1, U32(2), U32(0), Name("f"), U32(1), Name("g"))
	shifted := Section(1, U32(4), U32(0), Name("f"), U32(1), Name("terrarium_meter.refill"), U32(2), Name("g"),
		U32(3), Name("terrarium_meter.refill"))
	for _, c := range []struct {
		name       string
		have, want []byte // want is nil if the section is to be dropped
	}{
		{"functions", functions, shifted},
		{"module", Code(Section(0, Name("m")), functions), Code(Section(0, Name("m")), shifted)},
		{"locals are dropped", Code(functions, Section(2, U32(0))), shifted},
		{"some", Section(1, U32(1), U32(1), Name("g")), Section(1, U32(3), U32(1), Name("terrarium_meter.refill"), U32(2), Name("g"),
			U32(3), Name("terrarium_meter.refill"))},
		{"long", Section(1, U32(1), U32(1), Name(strings.Repeat("é", 100))), Section(1, U32(3), U32(1), Name("terrarium_meter.refill"),
			U32(2), Name(strings.Repeat("é", 64)+"…"), U32(3), Name("terrarium_meter.refill"))},
		{"long, by halves", Section(1, U32(1), U32(1), Name("-"+strings.Repeat("é", 100))), Section(1, U32(3), U32(1), Name("terrarium_meter.refill"),
			U32(2), Name("-"+strings.Repeat("é", 63)+"…"), U32(3), Name("terrarium_meter.refill"))},
		{"not in order", Section(1, U32(2), U32(1), Name("g"), U32(0), Name("f")), nil},
		{"no such function", Section(1, U32(1), U32(2), Name("g")), nil},
		{"not UTF-8", Section(1, U32(1), U32(1), Name("\xff")), nil},
		{"cut off", functions[:len(functions)-1], nil},
		{"sections not in order", Code(functions, Section(0, Name("m"))), nil},
		{"more than it says", Section(1, U32(0), U32(0)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, m, err := meter.Rewrite(named(c.have), meter.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if m.HasNames != (c.want != nil) {
				t.Errorf("HasNames: got %v, want %v", m.HasNames, c.want != nil)
			}
			if c.want == nil {
				if bytes.Contains(got, []byte("\x04name")) {
					t.Errorf("got a name section: %q", got)
				}
				return
			}
			if want := Section(0, Name("name"), c.want); !bytes.HasSuffix(got, want) {
				t.Errorf("got  %q\nwant …%q", got, want)
			}
		})
	}
}

func TestClamp(t *testing.T) {
	for _, c := range []struct {
		name       string
		have, want meter.Limits
	}{
		{"none", meter.Limits{Min: 1}, meter.Limits{Min: 1, Max: 10, HasMax: true}},
		{"higher", meter.Limits{Min: 1, Max: 11, HasMax: true}, meter.Limits{Min: 1, Max: 10, HasMax: true}},
		{"same", meter.Limits{Min: 1, Max: 10, HasMax: true}, meter.Limits{Min: 1, Max: 10, HasMax: true}},
		{"lower", meter.Limits{Min: 1, Max: 3, HasMax: true}, meter.Limits{Min: 1, Max: 3, HasMax: true}},
	} {
		var m Module
		m.Memory(c.have.Min, c.have.Max)
		m.Table(c.have.Min, c.have.Max)
		out, _, err := meter.Rewrite(m.Bytes(), meter.Config{MaxMemoryPages: 10, MaxTableEntries: 10})
		if err != nil {
			t.Fatal(err)
		}
		got, err := meter.Inspect(rename(out), meter.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Memory != c.want {
			t.Errorf("%s: memory: got %v, want %v", c.name, got.Memory, c.want)
		}
		if got.Tables[0].Limits != c.want {
			t.Errorf("%s: table: got %v, want %v", c.name, got.Tables[0].Limits, c.want)
		}
	}

	// Where the format has the same limit, nothing is said, so that no engine
	// sets aside 4 GiB.
	var m Module
	m.Memory(1, 0)
	out, _, err := meter.Rewrite(m.Bytes(), meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if want := Section(5, U32(1), Op(0, 1)); !bytes.Contains(out, want) {
		t.Errorf("got %x, want %x in it", out, want)
	}
}

// TestVersion fails when Rewrite begins to answer with other bytes: count Version
// up, then put the new sum here.
func TestVersion(t *testing.T) {
	var merged Module
	merged.Memory(1, 1)
	merged.Data(9, []byte("def"))
	merged.Data(3, []byte("abc"))
	modules := [][]byte{merged.Bytes(), growing("go:buildid")}
	for seed := range 200 {
		modules = append(modules, Generate(seedBytes(seed)))
	}
	sum := func(c meter.Config) (sum uint32) {
		for _, module := range modules {
			for _, b := range rewrite(t, module, c) {
				sum = sum*16777619 ^ uint32(b)
			}
		}
		return sum
	}
	if got := sum(meter.Config{}); meter.Version != 7 || got != 889850326 {
		t.Errorf("version %d has the sum %d, want version 7 with 889850326", meter.Version, got)
	}
	if got := sum(meter.Config{AskGrow: true}); got != 947816060 {
		t.Errorf("with AskGrow version %d has the sum %d, want 947816060", meter.Version, got)
	}
}

// growing returns a module that grows its memory beyond what a test's Config lets it, of which its
// own maximum is no reason, and drops what memory.grow answers. It has a custom section of that
// name.
func growing(custom string) []byte {
	var m Module
	m.Memory(1, 100)
	m.Custom(custom, nil)
	m.Export("_start", m.Func("()->()", "", I32(1), MemoryGrow(), Op(Drop)))
	return m.Bytes()
}

func seedBytes(seed int) []byte {
	p := make([]byte, 400)
	x := uint64(seed)*0x9e3779b97f4a7c15 + 1
	for i := range p {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		p[i] = byte(x >> 32)
	}
	return p
}

// wantRefused checks that a module is refused by both, in one line that has want.
func wantRefused(t *testing.T, wasm []byte, c meter.Config, kind error, want string) {
	t.Helper()
	_, inspectErr := meter.Inspect(wasm, c)
	_, _, err := meter.Rewrite(wasm, c)
	if err == nil || inspectErr == nil {
		t.Fatalf("got %v from Rewrite, %v from Inspect, want %q", err, inspectErr, want)
	}
	if err.Error() != inspectErr.Error() {
		t.Errorf("got %q from Rewrite, %q from Inspect", err, inspectErr)
	}
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %q, want %q, with %q in it", err, kind, want)
	}
	var e *meter.Error
	if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(wasm) {
		t.Errorf("got %#v, want an offset within %d bytes", err, len(wasm))
	}
}

func rewrite(t testing.TB, wasm []byte, c meter.Config) []byte {
	t.Helper()
	metered, _, err := meter.Rewrite(wasm, c)
	if err != nil {
		t.Fatal(err)
	}
	return metered
}
