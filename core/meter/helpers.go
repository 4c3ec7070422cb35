package meter

// A helper is a function that is added to the module.
type helper struct {
	op   helperOp
	a, b uint32 // the indices that the instruction has in itself
}

type helperOp uint8

const (
	helperRefill    helperOp = iota // (i64)->i64: stores the fuel, asks for more, and returns that
	helperGrow                      // memory.grow
	helperFill                      // memory.fill
	helperCopy                      // memory.copy
	helperInit                      // memory.init of segment a
	helperTableInit                 // table.init of segment a to table b
	helperTableCopy                 // table.copy to a from b
	helperTableGrow                 // table.grow of a
	helperTableFill                 // table.fill of a
)

func (op helperOp) String() string {
	return [...]string{"refill", "memory.grow", "memory.fill", "memory.copy", "memory.init",
		"table.init", "table.copy", "table.grow", "table.fill"}[op]
}

// helper returns the number of a helper, which is added when first asked for.
func (p *parser) helper(h helper) uint32 {
	i, ok := p.helperNumber[h]
	if !ok {
		i = uint32(len(p.helpers))
		p.helpers = append(p.helpers, h)
		if p.helperNumber == nil {
			p.helperNumber = map[helper]uint32{}
		}
		p.helperNumber[h] = i
	}
	return i
}

// helperType returns the type of a helper, as in the type section.
func (p *parser) helperType(h helper) string {
	const i32, i64 = string(rune(typeI32)), string(rune(typeI64))
	ref := func(table uint32) string {
		if p.m.Tables[table].Type == typeFuncref.String() {
			return string(rune(typeFuncref))
		}
		return string(rune(typeExternref))
	}
	switch h.op {
	case helperRefill:
		return signature(i64, i64)
	case helperGrow:
		return signature(i32, i32)
	case helperTableGrow:
		return signature(ref(h.a)+i32, i32)
	case helperTableFill:
		return signature(i32+ref(h.a)+i32, "")
	}
	return signature(i32+i32+i32, "")
}

// signature returns a function type in the binary format.
func signature(params, results string) string {
	p := appendName([]byte{typeFunc}, params)
	return string(appendName(p, results))
}

// appendHelper appends the body of a helper, with its size before it.
func (p *parser) appendHelper(dst []byte, h helper) []byte {
	a := asm{fuel: p.fuel(), refill: p.refill()}
	switch h.op {
	case helperRefill:
		a.declare()
		a.get(0)
		a.index(opGlobalSet, a.fuel)
		a.index(opCall, a.refill)
		a.index(opGlobalGet, a.fuel)
	case helperGrow:
		g := growth{refused: p.refused(), most: p.mostPages(), traps: p.fromGo}
		if p.asks {
			g.asks, g.ask, g.limit = true, p.ask(), min(g.most, int64(p.c.MaxMemoryPages))
		}
		a.memoryGrow(g)
	case helperTableGrow:
		grow := func() {
			a.get(0)
			a.get(1)
			a.misc(miscTableGrow, h.a)
		}
		a.grown(1, 0, grow, func() {})
	case helperTableInit:
		a.tableBulk(h.b, func() { a.misc(miscTableInit, h.a, h.b) })
	case helperTableCopy:
		a.tableBulk(h.a, func() { a.misc(miscTableCopy, h.a, h.b) })
	case helperTableFill:
		a.tableBulk(h.a, func() { a.misc(miscTableFill, h.a) })
	case helperFill:
		a.memoryFill()
	case helperCopy:
		a.memoryCopy()
	case helperInit:
		a.memoryInit(h.a)
	}
	a.op(opEnd)
	dst = appendU32(dst, uint32(len(a.code)))
	return append(dst, a.code...)
}

// mostPages is how large the module itself lets its memory become.
func (p *parser) mostPages() int64 {
	if p.m.Memory.HasMax {
		return int64(p.m.Memory.Max)
	}
	return maxPages
}
