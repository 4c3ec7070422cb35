package metertest

import "bytes"

// Generate returns a valid module that seed decides on. Its export
// "run" (i32,i32)->i32 ends soon for any arguments, but may trap; "memory" and
// the global "steps" are exported too. It imports nothing, and what it does
// depends on nothing else: no bits of a NaN are looked at.
func Generate(seed []byte) []byte {
	g := generator{seed: seed}
	g.m.Memory(2, 5)
	g.m.ExportMemory("memory")
	g.m.Table(6, 9)
	g.steps = g.m.Global("i32", I32(0))
	g.m.ExportGlobal("steps", g.steps)
	g.m.Global("i32", I32(7))
	// Engines disagree on whether this segment is there after the start (wazero
	// 1.12 keeps it, against the specification), so nothing refers to it.
	g.m.Data(16, []byte("some bytes to begin with"))
	g.m.PassiveData(bytes.Repeat([]byte("short"), 900))
	g.m.PassiveData(bytes.Repeat([]byte("long "), 15_000))

	signature := "(i32,i32)->i32"
	g.typ = g.m.Type(signature)
	g.pair = g.m.Type("(i32)->(i32,i32)")
	g.funcs = 2 + g.pick(3)
	for range g.funcs {
		body := g.function()
		g.m.Func(signature, locals, body)
	}
	var all []uint32
	for f := range g.funcs {
		all = append(all, f)
	}
	g.m.Elem(1, all...) // entry 0 stays null
	g.m.PassiveElem(all...)
	g.m.Export("run", 0)
	if g.pick(2) == 0 {
		g.m.FunctionNames("run", "second")
	}
	return g.m.Bytes()
}

// The locals of a generated function are the parameters 0 and 1, four more for
// values, one for each level of loops, and an i64.
const (
	locals     = "i32,i32,i32,i32,i32,i32,i32,i64"
	valueCount = 6
	counter    = 6 // of the outermost loop
	wide       = 9
	maxLoops   = 3
	maxSteps   = 60  // calls, after which all return at once
	maxNodes   = 150 // statements and values of a function
)

type generator struct {
	m     Module
	seed  []byte // what is left of it
	steps uint32 // a global
	typ   uint32 // of all functions
	pair  uint32 // another type
	funcs uint32

	// Of the function being generated:
	loops  uint32 // how many there are around
	labels []label
	nodes  int // how many more it may have
}

// A label is what a branch to it takes along.
type label uint8

const (
	takesNothing label = iota
	takesValue
	takesNoBranch // it would never end
)

// pick returns a number below n. When the seed is used up it is 0, which is
// always the choice that ends soonest.
func (g *generator) pick(n uint32) uint32 {
	if len(g.seed) == 0 {
		return 0
	}
	b := g.seed[0]
	g.seed = g.seed[1:]
	return uint32(b) % n
}

// safe returns what never traps, but now and then what may.
func (g *generator) safe(never, mayTrap int32) int32 {
	if g.pick(16) == 15 {
		return mayTrap
	}
	return never
}

func (g *generator) function() []byte {
	g.labels, g.loops, g.nodes = []label{takesValue}, 0, maxNodes
	return Code(
		GetGlobal(g.steps), I32(1), Op(I32Add), SetGlobal(g.steps),
		GetGlobal(g.steps), I32(maxSteps), Op(I32GtU), If(EmptyType, I32(-1), Op(Return)),
		g.statements(3), g.value(3))
}

func (g *generator) statements(depth int) []byte {
	var code []byte
	for range g.pick(6) {
		code = append(code, g.statement(depth)...)
	}
	return code
}

// inside generates what is inside blocks with these labels.
func (g *generator) inside(body func() []byte, labels ...label) []byte {
	n := len(g.labels)
	g.labels = append(g.labels, labels...)
	code := body()
	g.labels = g.labels[:n]
	return code
}

// target picks a label of a kind. There may be none.
func (g *generator) target(kind label) (index uint32, ok bool) {
	n := uint32(len(g.labels))
	first := g.pick(n)
	for i := range n {
		index = (first + i) % n
		if g.labels[n-1-index] == kind {
			return index, true
		}
	}
	return 0, false
}

func (g *generator) statement(depth int) []byte {
	g.nodes--
	if depth == 0 || g.nodes < 0 {
		return Op(Nop)
	}
	body := func() []byte { return g.statements(depth - 1) }
	switch g.pick(16) {
	case 1:
		return Code(g.value(2), If(EmptyType, g.inside(body, takesNothing)))
	case 2:
		return Code(g.value(2), If(EmptyType, g.inside(body, takesNothing), Op(Else), g.inside(body, takesNothing)))
	case 3:
		return Block(EmptyType, g.inside(body, takesNothing))
	case 4, 5:
		return g.loop(body)
	case 6:
		if l, ok := g.target(takesNothing); ok {
			return Code(g.value(2), BrIf(l))
		}
		return Op(Nop)
	case 7:
		if l, ok := g.target(takesNothing); ok {
			return Code(g.value(2), If(EmptyType, Br(l+1)))
		}
		return Op(Nop)
	case 8: // a switch
		return Block(EmptyType, Block(EmptyType, Block(EmptyType, g.value(2), BrTable(0, 2, 1, 0)),
			g.inside(body, takesNothing, takesNothing)), g.inside(body, takesNothing))
	case 9:
		return Code(g.value(2), I32(g.safe(0xffff, -1)), Op(I32And), g.value(2), Memory(I32Store8, g.pick(200)))
	case 10:
		return Code(g.address(), g.value(2), Memory(I32Store, g.pick(200)))
	case 11:
		return g.bulkMemory()
	case 12:
		return g.bulkTable()
	case 13:
		return Code(g.value(1), If(EmptyType, g.value(2), Op(Return)))
	case 14:
		return Code(g.value(2), Op(I64ExtendU), Get(wide), Op(I64Add), Set(wide))
	case 15:
		if g.pick(8) == 0 {
			return Code(g.value(1), If(EmptyType, Op(Unreachable)))
		}
	}
	return Code(g.value(2), Set(g.pick(valueCount)))
}

// loop goes round up to three times.
func (g *generator) loop(body func() []byte) []byte {
	if g.loops == maxLoops {
		return Op(Nop)
	}
	c := counter + g.loops
	g.loops++
	defer func() { g.loops-- }()
	next := Code(Get(c), I32(1), Op(I32Add), Tee(c), I32(int32(g.pick(4))))
	start := Code(I32(0), Set(c))
	switch g.pick(4) {
	case 1: // branches from inside go on
		return Code(start, Block(EmptyType, Loop(EmptyType, next, Op(I32GtU), BrIf(1),
			g.inside(body, takesNothing, takesNothing), Br(0))))
	case 2: // a table decides
		return Code(start, Block(EmptyType, Loop(EmptyType, next, Op(I32GtU), BrIf(1),
			g.inside(body, takesNothing, takesNothing), g.value(1), BrTable(0, 1, 0))))
	case 3: // a value goes round
		return Code(start, g.value(2), Op(0x03), S64(int64(g.pair)), Tee(2), next, Op(I32LtU), BrIf(0), Get(2), Op(End),
			Set(g.pick(valueCount)), Set(g.pick(valueCount)))
	}
	return Code(start, Loop(EmptyType, g.inside(body, takesNoBranch), next, Op(I32LtU), BrIf(0)))
}

// address is usually within the memory.
func (g *generator) address() []byte {
	return Code(g.value(1), I32(g.safe(0xffff, 0x1ffff)), Op(I32And))
}

// size is one of the sizes that are treated differently, or anything.
func (g *generator) size() []byte {
	switch g.pick(6) {
	case 1:
		return I32(int32(g.pick(256)) * 17)
	case 2:
		return I32(5000)
	case 3:
		return Code(I32(70_000), g.value(1), I32(255), Op(I32And), Op(I32Add))
	case 4:
		return I32(70_000)
	case 5:
		return Code(g.value(2), I32(g.safe(0x3fff, -1)), Op(I32And))
	}
	return Code(g.value(1), I32(1023), Op(I32And))
}

func (g *generator) bulkMemory() []byte {
	const short, long = 1, 2 // data segments
	switch g.pick(6) {
	case 1:
		return Code(g.address(), g.value(1), g.size(), Misc(11, 0))
	case 2:
		return Code(g.address(), I32(0), g.size(), Misc(8, short, 0))
	case 3:
		return Code(g.address(), g.value(1), g.size(), Misc(8, long, 0))
	case 4:
		return Misc(9, short+g.pick(2))
	case 5: // overlapping
		return Code(Get(2), I32(0xffff), Op(I32And), Tee(2), I32(int32(g.pick(200))), Op(I32Add), Get(2), g.size(), Misc(10, 0, 0))
	}
	return Code(g.address(), g.address(), g.size(), Misc(10, 0, 0))
}

func (g *generator) bulkTable() []byte {
	small := func() []byte { return Code(g.value(1), I32(g.safe(1, 7)), Op(I32And)) }
	switch g.pick(4) {
	case 1:
		return Code(small(), small(), small(), Misc(14, 0, 0))
	case 2:
		return Code(I32(4), Op(RefNull, FuncrefType), small(), Misc(17, 0))
	case 3:
		return Misc(13, g.pick(2))
	}
	return Code(small(), small(), I32(int32(g.pick(3))), Misc(12, 1, 0))
}

// value generates code that leaves an i32.
func (g *generator) value(depth int) []byte {
	g.nodes--
	if depth == 0 || g.nodes < 0 {
		return Get(g.pick(valueCount))
	}
	v := func() []byte { return g.value(depth - 1) }
	switch g.pick(20) {
	case 1:
		return I32(int32(g.pick(256)) - 128)
	case 2:
		return I32(int32(g.pick(256)) << 24)
	case 3:
		return Code(g.address(), Memory(I32Load8U, g.pick(200)))
	case 4:
		return Code(v(), I32(g.safe(0xffff, -1)), Op(I32And), Memory(I32Load, 0))
	case 5:
		return Code(v(), v(), Op([]byte{I32Add, I32Sub, I32Mul, I32And, I32Xor, I32Eq, I32LtU}[g.pick(7)]))
	case 6:
		return Code(v(), v(), I32(g.safe(1, 0)), Op(I32Or), Op([]byte{I32DivS, I32RemU}[g.pick(2)]))
	case 7:
		return Code(v(), v(), Call(g.pick(g.funcs)))
	case 8:
		return Code(v(), v(), v(), I32(g.safe(1, 7)), Op(I32And), I32(1), Op(I32Add), CallIndirect(g.typ, 0))
	case 9:
		return Code(v(), v(), v(), Op(Select))
	case 10:
		return Code(v(), If(I32Type, g.inside(v, takesValue), Op(Else), g.inside(v, takesValue)))
	case 11:
		return Block(I32Type, g.inside(func() []byte {
			code := v()
			if l, ok := g.target(takesValue); ok {
				code = Code(code, v(), BrIf(l))
			}
			return code
		}, takesValue))
	case 12:
		return Code(v(), I32(1), Op(I32And), MemoryGrow())
	case 13:
		return Code(Op(RefNull, FuncrefType), v(), I32(1), Op(I32And), Misc(15, 0))
	case 14:
		return Code(MemorySize(), Misc(16, 0), Op(I32Add))
	case 15:
		return Code(Get(wide), Op(I32WrapI64))
	case 16: // through f64
		return Code(v(), Op(0xb7), v(), Op(0xb7, 0xa3), Misc(2))
	case 17: // through a vector
		return Code(v(), Op(VectorPrefix, 0x11), v(), Op(VectorPrefix, 0x11, VectorPrefix, 0xae, 0x01, VectorPrefix, 0x1b, 2))
	case 18:
		return Code(v(), Op([]byte{I32Eqz, I32Extend8S, 0x67}[g.pick(3)]))
	case 19:
		return Code(v(), Tee(g.pick(valueCount)))
	}
	return Get(g.pick(valueCount))
}
