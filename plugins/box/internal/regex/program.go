package regex

// An inst is one instruction of the machine that all searches run.
type inst struct {
	op  instOp
	c   symbol // instChar
	set *set   // instSet
	out int32  // the next instruction
	// instSplit: the other way; instSave: the slot; instBackref: the group; instMark, instCheck:
	// the slot
	arg int32
	as  assert

	behind, negate bool // instLook; c is how many symbols it goes back
}

type instOp byte

const (
	instMatch instOp = iota
	instChar
	instSet
	instSplit // out is tried first
	instSave
	instAssert
	instBackref
	instMark   // remembers where a round of a loop began
	instCheck  // ends a loop whose last round matched nothing
	instAtomic // the program at arg, at once
	instLook   // the program at arg, without moving
)

// maxProgram is the greatest number of instructions. A counted repetition is unrolled.
const maxProgram = 60_000

// A program is a compiled pattern. Slots 2n and 2n+1 hold the edges of group n.
type program struct {
	insts     []inst
	start     int32
	slots     int
	multiline bool
	fold      bool // back-references ignore case
	first     bool // the first way that matches wins, as in Perl, not the longest
	asserts   bool // whether there are assertions
	words     bool // whether they look at words
}

// A compiler writes a program. Each method returns the index of the first instruction of what it
// compiled, given the one that follows it: the program is written from its end.
type compiler struct {
	program
	backs bool
	err   error
}

func (c *compiler) emit(i inst) int32 {
	if len(c.insts) >= maxProgram {
		c.err = errTooBig
		return 0
	}
	c.insts = append(c.insts, i)
	return int32(len(c.insts) - 1)
}

func (c *compiler) node(n *node, out int32) int32 {
	if c.err != nil {
		return 0
	}
	switch n.op {
	case opChar:
		return c.emit(inst{op: instChar, c: n.c, out: out})
	case opSet:
		return c.emit(inst{op: instSet, set: n.set, out: out})
	case opAssert:
		c.asserts = true
		c.words = c.words || n.assert >= wordEdge
		return c.emit(inst{op: instAssert, as: n.assert, out: out})
	case opBackref:
		return c.emit(inst{op: instBackref, arg: int32(n.n), out: out})
	case opGroup:
		end := c.emit(inst{op: instSave, arg: int32(2*n.n + 1), out: out})
		return c.emit(inst{op: instSave, arg: int32(2 * n.n), out: c.node(n.subs[0], end)})
	case opConcat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			out = c.node(n.subs[i], out)
		}
		return out
	case opAlternate:
		start := c.node(n.subs[len(n.subs)-1], out)
		for i := len(n.subs) - 2; i >= 0; i-- {
			start = c.emit(inst{op: instSplit, out: c.node(n.subs[i], out), arg: start})
		}
		return start
	case opRepeat:
		return c.repeat(n, out)
	case opAtomic:
		sub := c.node(n.subs[0], c.emit(inst{op: instMatch}))
		return c.emit(inst{op: instAtomic, arg: sub, out: out})
	case opLook:
		sub := c.node(n.subs[0], c.emit(inst{op: instMatch}))
		return c.emit(inst{op: instLook, arg: sub, out: out, c: symbol(n.min), behind: n.behind, negate: n.negate})
	case opKeep:
		return c.emit(inst{op: instSave, arg: 0, out: out})
	}
	return out
}

func (c *compiler) repeat(n *node, out int32) int32 {
	sub, start := n.subs[0], out
	if n.max < 0 {
		start = c.loop(sub, out, n.lazy)
	}
	for i := n.min; i < n.max && c.err == nil; i++ {
		start = c.emit(fork(c.node(sub, start), out, n.lazy))
	}
	for i := 0; i < n.min && c.err == nil; i++ {
		if i == 0 && n.max < 0 {
			// The last of the rounds that must be is the loop's own.
			start = c.once(n, start)
			continue
		}
		start = c.node(sub, start)
	}
	return start
}

// fork goes in or out, and tries out first if it is lazy.
func fork(in, out int32, lazy bool) inst {
	if lazy {
		in, out = out, in
	}
	return inst{op: instSplit, out: in, arg: out}
}

// loop compiles sub*.
func (c *compiler) loop(sub *node, out int32, lazy bool) int32 {
	split := c.emit(inst{op: instSplit})
	if c.err != nil {
		return 0
	}
	if c.backs {
		// Only the search for back-references could go round and round without moving.
		slot := int32(c.slots)
		c.slots++
		check := c.emit(inst{op: instCheck, arg: slot, out: split})
		c.insts[split] = fork(c.emit(inst{op: instMark, arg: slot, out: c.node(sub, check)}), out, lazy)
		return split
	}
	c.insts[split] = fork(c.node(sub, split), out, lazy)
	return split
}

// once compiles the round of a loop that must be, so that a+ needs one copy of a and not two.
func (c *compiler) once(n *node, loop int32) int32 {
	if c.backs || c.err != nil {
		return c.node(n.subs[0], loop)
	}
	if n.lazy {
		return c.insts[loop].arg
	}
	return c.insts[loop].out
}

func compile(root *node, groups int, backs bool, o Options) (*program, error) {
	c := &compiler{backs: backs}
	c.slots = 2 * (groups + 1)
	c.multiline, c.fold, c.first = o.Multiline || o.Perl, o.IgnoreCase, o.Perl
	match := c.emit(inst{op: instMatch})
	end := c.emit(inst{op: instSave, arg: 1, out: match})
	c.start = c.emit(inst{op: instSave, arg: 0, out: c.node(root, end)})
	if c.err != nil {
		return nil, c.err
	}
	return &c.program, nil
}
