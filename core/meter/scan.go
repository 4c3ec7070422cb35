package meter

// A scan reads the body of a function, and notes what to change in it. It is
// used for one function after the other, to keep what it has allocated.
type scan struct {
	*parser
	reader

	typ      funcType
	groups   uint32 // how many declarations of locals there are
	declared extent // where they are
	locals   uint32 // parameters included

	frames  []frame
	regions []region
	owners  []int32 // of each region: the one it is charged with
	edits   []edit  // in ascending order

	cur     int32  // the region of the next instruction
	stale   bool   // since the last call nothing has asked for the fuel
	calls   bool   // it can come to call something
	loops   bool   // it can come to branch backward
	covered bool   // a loop that checks comes before all calls
	inside  int    // how many loops it is inside of
	labels  int    // of the branch tables so far
	total   uint64 // what all regions cost together
	joins   uint64 // blocks and branches of this function
	values  uint32 // the most that one of its blocks takes and leaves
	flow    uint64 // of all functions so far: Config.MaxFlow
	passed  uint64 // likewise: Config.MaxValues
	body    []byte // the metered body

	constant    uint32 // of the last i32.const
	constantEnd int    // the offset behind it
}

// An edit is a change to a body.
type edit struct {
	at, end uint32 // what is replaced, as offsets
	arg     uint32
	kind    editKind
	// current is whether the global has the fuel already when a call is made.
	current bool
}

type editKind uint8

const (
	editCharge   editKind = iota // region arg is entered
	editReload                   // what follows asks for the fuel, after calls
	editCall                     // of function arg
	editIndirect                 // the same, but of who knows what
	editRef                      // to function arg
	editReturn                   // out of arg blocks
	editBackEdge                 // to a loop, whose region is arg
	editHelper                   // becomes a call of helper arg
)

// function reads body number n of those that the module defines.
func (s *scan) function(n int) *Error {
	body := s.bodies[n]
	s.reader = reader{p: s.wasm[:body.end], i: body.start}
	s.typ = s.types[s.funcs[s.importedFuncs+n]]
	s.readLocals()

	s.regions = append(s.regions[:0], region{kind: regionApart, parent: dead})
	s.frames = append(s.frames[:0], frame{op: opBlock, outer: noBranch, values: len(s.typ.results)})
	s.edits = s.edits[:0]
	s.inside, s.labels = 0, 0
	s.cur, s.stale, s.calls, s.loops, s.covered, s.constantEnd = 0, false, false, false, false, 0
	s.joins, s.values = 0, 0
	s.pass(s.typ.arity())
	for len(s.frames) > 0 && s.err == nil {
		s.instruction()
		s.reached(s.i)
	}
	if s.err == nil && !s.done() {
		s.fail(ErrMalformed, "code after the end of the function")
	}
	s.addFlow()
	if s.err != nil {
		s.err.Func = s.importedFuncs + n
		s.err.Name = s.functionName(s.err.Func)
		return s.err
	}
	s.total = s.settle()
	return nil
}

// readLocals reads the declarations of the locals.
func (s *scan) readLocals() {
	s.groups = uint32(s.count("declarations of locals", s.left()))
	s.declared.start = s.i
	total := uint64(len(s.typ.params))
	for n := s.groups; n > 0 && s.err == nil; n-- {
		at := s.i
		total += uint64(s.u32())
		s.valueType()
		if total > uint64(s.c.MaxLocals) {
			s.failAt(at, ErrLimit, "more than "+utoa(uint32(s.c.MaxLocals))+" locals")
		}
	}
	s.declared.end = s.i
	s.locals = uint32(total)
}

// instruction reads one instruction. That its operands have the right types is
// left to the engine: nothing of what is added to a body depends on them.
func (s *scan) instruction() {
	at := s.i
	op := s.byte()
	in := instructions[op]
	if in.cost != costFree {
		s.pay(at, uint32(in.cost))
	}
	if in.form == formSIMD {
		in, op = s.vector(at), 0
	}
	switch in.form {
	case formNone:
	case formControl:
		s.control(at, op)
	case formLocal:
		s.index("local", int(s.locals))
	case formI32:
		s.constant, s.constantEnd = uint32(s.s32()), s.i
	case formMemarg, formMemargLane:
		s.memarg()
		if in.form == formMemargLane {
			s.skip(1)
		}
	case formI64:
		s.s64()
	case formGlobal:
		s.globalIndex(&s.reader)
	case formTable:
		s.tableIndex(&s.reader)
	case formMemory:
		s.memoryIndex(&s.reader)
	case formBytes4:
		s.skip(4)
	case formBytes8:
		s.skip(8)
	case formBytes16:
		s.skip(16)
	case formLane:
		s.skip(1)
	case formTypes:
		s.valueTypes("types of a select")
	case formHeapType:
		s.referenceType()
	default:
		if s.err == nil {
			s.failAt(at, ErrUnsupported, foreignOpcode(op))
		}
	}
}

// vector reads the rest of the opcode of a vector instruction.
func (s *scan) vector(at int) instruction {
	sub := s.u32()
	if sub < uint32(len(simdInstructions)) && simdInstructions[sub].form != formRefused {
		s.pay(at, costPlain)
		return simdInstructions[sub]
	}
	if s.err == nil {
		s.failAt(at, ErrUnsupported, foreignSIMD(sub))
	}
	return instruction{}
}

func (s *scan) memarg() {
	at := s.i
	align := s.u32()
	s.u32() // offset
	switch {
	case s.err != nil:
	case !s.m.HasMemory:
		s.failAt(at, ErrMalformed, "there is no memory")
	case align&0x40 != 0:
		s.failAt(at, ErrUnsupported, "multiple memories")
	case align > 4:
		s.failAt(at, ErrMalformed, "an alignment of 2 to the "+utoa(align))
	}
}

func (s *scan) edit(kind editKind, at int, arg uint32) {
	s.edits = append(s.edits, edit{at: uint32(at), end: uint32(s.i), kind: kind, arg: arg})
}
