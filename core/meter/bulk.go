package meter

// The bodies of helpers that stand in for a bulk instruction. They have its
// operands as parameters. An instruction that is going to trap is run as it is,
// so that it traps in its own way, before anything has been written.

// grown runs grow, which leaves the old size or -1, and charges what it added:
// the parameter number delta, in units of 1<<unitsLog2. After a -1 it runs failed.
func (a *asm) grown(delta uint32, unitsLog2 int64, grow, failed func()) {
	a.declare(typeI32)
	old := delta + 1
	grow()
	a.set(old)
	a.get(old)
	a.i32(-1)
	a.op(opI32Ne, opIf, typeEmpty)
	a.chargeParam(delta, 0, unitsLog2)
	a.check()
	a.op(opElse)
	failed()
	a.op(opEnd)
	a.get(old)
}

// A growth says how memory grows.
type growth struct {
	// refused is the global that is set where there would be at most most pages:
	// then it was not the module that said no. If traps is set the guest ends
	// there: Go's runtime can't go on without memory, and would write pages about
	// its goroutines before it exits as if by itself.
	refused uint32
	most    int64
	traps   bool

	// If asks is set, function ask is called first where there would be at most
	// limit pages. More there can't be.
	asks  bool
	ask   uint32
	limit int64
}

func (a *asm) memoryGrow(g growth) {
	grow := func() {
		a.get(0)
		a.op(opMemoryGrow, 0)
	}
	allowed := grow
	if g.asks {
		allowed = func() {
			a.mayGrow(g)
			a.op(opIf, byte(typeI32))
			grow()
			a.op(opElse)
			a.i32(-1)
			a.op(opEnd)
		}
	}
	a.grown(0, pageUnitsLog2, allowed, func() {
		a.within(g.most)
		a.op(opIf, typeEmpty)
		a.i32(1)
		a.index(opGlobalSet, g.refused)
		if g.traps {
			a.op(opUnreachable)
		}
		a.op(opEnd)
	})
}

// mayGrow pushes whether memory.grow is to be run. Where nobody is asked it is
// not, unless it would grow by nothing: whatever an engine makes of a maximum, no
// memory grows unasked.
func (a *asm) mayGrow(g growth) {
	a.get(0)
	a.op(opI32Eqz, opIf, byte(typeI32))
	a.i32(1)
	a.op(opElse)
	a.within(g.limit)
	a.op(opIf, byte(typeI32))
	a.get(0)
	a.index(opCall, g.ask)
	a.op(opElse)
	a.i32(0)
	a.op(opEnd, opEnd)
}

// within pushes whether as many pages more as the first parameter says would be at
// most most.
func (a *asm) within(most int64) {
	a.op(opMemorySize, 0, opI64ExtendU)
	a.get(0)
	a.op(opI64ExtendU, opI64Add)
	a.i64(most)
	a.op(opI64LeU)
}

// chargeParam charges a parameter times 1<<up, or divided by 1<<down.
func (a *asm) chargeParam(n uint32, down, up int64) {
	a.index(opGlobalGet, a.fuel)
	a.get(n)
	a.op(opI64ExtendU)
	if down > 0 {
		a.i64(down)
		a.op(opI64ShrU)
	}
	if up > 0 {
		a.i64(up)
		a.op(opI64Shl)
	}
	a.op(opI64Sub)
	a.index(opGlobalSet, a.fuel)
}

// tableBulk charges the third parameter and runs do. What asks for more entries
// than the table has will trap, and costs nothing.
func (a *asm) tableBulk(table uint32, do func()) {
	a.declare()
	a.get(2)
	a.misc(miscTableSize, table)
	a.op(opI32LeU, opIf, typeEmpty)
	a.chargeParam(2, 0, 0)
	a.check()
	a.op(opEnd)
	a.operands()
	do()
}

// operands pushes the three parameters.
func (a *asm) operands() {
	a.get(0)
	a.get(1)
	a.get(2)
}

// The parameters and locals of what works on memory.
const (
	paramTo   = 0
	paramFrom = 1 // of a fill: the byte
	paramSize = 2
	localPart = 3 // how many bytes are next
)

// short runs do if it is for less than unsplit bytes, and returns.
func (a *asm) short(do func()) {
	a.get(paramSize)
	a.i32(unsplit)
	a.op(opI32LtU, opIf, typeEmpty)
	a.chargeParam(paramSize, bytesPerUnitLog2, 0)
	a.check()
	a.operands()
	do()
	a.op(opReturn, opEnd)
}

// inMemory runs do, which traps, and returns, if paramSize bytes from the
// address in a parameter are not all in memory.
func (a *asm) inMemory(address uint32, do func()) {
	a.op(opMemorySize, 0, opI64ExtendU)
	a.i64(16) // log2 of a page
	a.op(opI64Shl)
	a.get(address)
	a.op(opI64ExtendU)
	a.get(paramSize)
	a.op(opI64ExtendU, opI64Add, opI64LtU, opIf, typeEmpty)
	a.operands()
	do()
	a.op(opReturn, opEnd)
}

// pieces charges, checks and does one piece after the other, until paramSize,
// which becomes less with each, is zero.
func (a *asm) pieces(do func()) {
	a.op(opLoop, typeEmpty)
	a.i32(piece)
	a.get(paramSize)
	a.i32(piece)
	a.get(paramSize)
	a.op(opI32LtU, opSelect)
	a.set(localPart)
	a.chargeParam(localPart, longBytesPerUnitLog2, 0)
	a.check()
	a.get(paramSize)
	a.get(localPart)
	a.op(opI32Sub)
	a.set(paramSize)
	do()
	a.get(paramSize)
	a.op(opBrIf, 0, opEnd)
}

// advance adds the size of the piece to a parameter.
func (a *asm) advance(address uint32) {
	a.get(address)
	a.get(localPart)
	a.op(opI32Add)
	a.set(address)
}

func (a *asm) memoryFill() {
	fill := func() { a.misc(miscMemoryFill, 0) }
	a.declare(typeI32)
	a.short(fill)
	a.inMemory(paramTo, fill)
	a.pieces(func() {
		a.get(paramTo)
		a.get(paramFrom)
		a.get(localPart)
		fill()
		a.advance(paramTo)
	})
}

// memoryCopy copies from below up or from the top down, whichever way reads what
// it overwrites first.
func (a *asm) memoryCopy() {
	move := func() { a.misc(miscMemoryCopy, 0, 0) }
	a.declare(typeI32)
	a.short(move)
	a.inMemory(paramTo, move)
	a.inMemory(paramFrom, move)
	a.get(paramTo)
	a.get(paramFrom)
	a.op(opI32LeU, opIf, typeEmpty)
	a.pieces(func() {
		a.get(paramTo)
		a.get(paramFrom)
		a.get(localPart)
		move()
		a.advance(paramTo)
		a.advance(paramFrom)
	})
	a.op(opElse)
	a.pieces(func() { // paramSize is now where the piece begins
		a.get(paramTo)
		a.get(paramSize)
		a.op(opI32Add)
		a.get(paramFrom)
		a.get(paramSize)
		a.op(opI32Add)
		a.get(localPart)
		move()
	})
	a.op(opEnd)
}

// memoryInit can't see how long the segment is, which may have been dropped.
// Taking nothing from its end traps if there is no such place.
func (a *asm) memoryInit(segment uint32) {
	initialise := func() { a.misc(miscMemoryInit, segment, 0) }
	a.declare(typeI32)
	a.short(initialise)
	a.inMemory(paramTo, initialise)
	// The end of what is to be taken may be beyond 32 bits.
	a.get(paramFrom)
	a.get(paramSize)
	a.op(opI32Add)
	a.get(paramFrom)
	a.op(opI32LtU, opIf, typeEmpty)
	a.operands()
	initialise()
	a.op(opReturn, opEnd)
	a.i32(0)
	a.get(paramFrom)
	a.get(paramSize)
	a.op(opI32Add)
	a.i32(0)
	initialise()
	a.pieces(func() {
		a.get(paramTo)
		a.get(paramFrom)
		a.get(localPart)
		initialise()
		a.advance(paramTo)
		a.advance(paramFrom)
	})
}
