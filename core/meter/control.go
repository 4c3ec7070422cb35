package meter

import "math"

// A frame is an open block, loop or if, or the function itself.
type frame struct {
	op     byte  // what began it, or opElse
	first  bool  // of a loop: always run, and before all calls
	joined bool  // a branch leads to it
	region int32 // in which it began
	inside int32 // of a loop: the region of its turns
	outer  int32 // the outermost frame that a branch inside leads to
	values int   // that a branch to its label takes along
}

const noBranch = math.MaxInt32 // of frame.outer

// control reads what follows the opcodes that the meter has to know: those that
// direct the flow of control, mention functions, or run for long.
func (s *scan) control(at int, op byte) {
	switch op {
	case opCall, opCallIndirect, opRefFunc, opMemoryGrow, opMisc:
	default:
		s.reload(at)
	}
	switch op {
	case opBlock, opLoop, opIf:
		s.open(op)
	case opElse:
		s.otherwise(at)
	case opEnd:
		s.close()
	case opUnreachable:
		s.cur = dead
	case opBr:
		s.join(1)
		s.backEdge(at, s.branch())
		s.cur = dead
	case opBrIf:
		s.join(1)
		turn := s.branch()
		s.backEdge(at, turn)
		if s.cur == dead {
			break
		}
		kind := regionBranch
		if turn != dead {
			kind = regionApart // the loop goes on where the branch is taken
		}
		s.enter(kind, s.cur, s.i)
	case opBrTable:
		n := s.count("labels", s.left()) + 1
		if s.labels += int(n); s.err == nil && s.labels > s.c.MaxLabels {
			s.fail(ErrLimit, "more than "+utoa(uint32(s.c.MaxLabels))+" labels in branch tables")
			break
		}
		s.join(int(n))
		for ; n > 0 && s.err == nil; n-- {
			if turn := s.branch(); turn != dead {
				s.regions[turn].backEdges = manyBackEdges
			}
		}
		s.cur = dead
	case opReturn:
		s.edit(editReturn, at, uint32(len(s.frames)-1))
		s.pass(len(s.typ.results))
		s.leave(0)
		s.cur = dead
	case opCall:
		i := s.index("function", len(s.funcs))
		if s.err == nil {
			s.pass(s.types[s.funcs[i]].arity())
		}
		s.call(editCall, at, i)
		s.calls = s.calls || s.cur != dead
	case opCallIndirect:
		t := s.typeIndex(&s.reader)
		if s.err == nil {
			s.pass(s.types[t].arity())
		}
		s.tableIndex(&s.reader)
		s.call(editIndirect, at, 0)
		s.calls = s.calls || s.cur != dead
	case opRefFunc:
		s.edit(editRef, at, s.index("function", len(s.funcs)))
	case opMemoryGrow:
		s.memoryIndex(&s.reader)
		s.call(editHelper, at, s.helper(helper{op: helperGrow}))
	case opMisc:
		s.misc(at)
	}
}

// pay adds the cost of the instruction at an offset to the current region.
func (s *scan) pay(at int, cost uint32) {
	if s.cur == dead {
		return
	}
	r := &s.regions[s.cur]
	if r.own += cost; r.own <= maxRegion {
		return
	}
	r.own -= cost
	s.reload(at)
	s.enter(regionApart, s.cur, at)
	s.regions[s.cur].own = cost
}

// enter begins a new region at an offset.
func (s *scan) enter(kind regionKind, parent int32, at int) {
	s.cur = s.newRegion(kind, parent)
	s.edits = append(s.edits, edit{at: uint32(at), end: uint32(at), kind: editCharge, arg: uint32(s.cur)})
}

// reload makes sure that the fuel is at hand at an offset.
func (s *scan) reload(at int) {
	if s.stale {
		s.edits = append(s.edits, edit{at: uint32(at), end: uint32(at), kind: editReload})
		s.stale = false
	}
}

// call notes an instruction that another function is run for.
func (s *scan) call(kind editKind, at int, arg uint32) {
	s.edits = append(s.edits, edit{at: uint32(at), end: uint32(s.i), arg: arg, kind: kind, current: s.stale})
	s.stale = true
}

func (s *scan) open(op byte) {
	t, takes := s.blockType()
	s.values = max(s.values, uint32(t.arity()))
	s.join(1)
	s.pass(t.arity())
	if len(s.frames) > s.c.MaxDepth {
		s.fail(ErrLimit, "more than "+utoa(uint32(s.c.MaxDepth))+" blocks inside each other")
		return
	}
	if op == opLoop {
		if s.inside++; s.inside > s.c.MaxLoopDepth {
			s.fail(ErrLimit, "more than "+utoa(uint32(s.c.MaxLoopDepth))+" loops inside each other")
			return
		}
	}
	f := frame{op: op, region: s.cur, outer: noBranch, first: s.cur == 0 && !s.calls, values: len(t.results)}
	if op == opLoop {
		f.values = len(t.params)
	}
	if s.cur != dead {
		switch op {
		case opIf:
			s.enter(regionBranch, s.cur, s.i)
		case opLoop:
			s.enter(regionLoop, s.cur, s.i)
			f.inside = s.cur
			if takes {
				s.regions[s.cur].backEdges = manyBackEdges
			}
		}
	}
	s.frames = append(s.frames, f)
}

// blockType reads the type of a block, as far as it is not told by one byte: of
// those none takes anything and none leaves more than one value.
func (s *scan) blockType() (t funcType, takes bool) {
	switch b := s.byte(); {
	case b == typeEmpty || s.err != nil:
	case b>>6 == 1: // negative, in one byte
		s.i--
		s.valueType()
	default:
		s.i--
		at := s.i
		i := s.s33()
		if s.err != nil {
			return t, true
		}
		if i < 0 || i >= int64(len(s.types)) {
			s.failAt(at, ErrMalformed, "there is no such type of a block")
			return t, true
		}
		return s.types[i], true
	}
	return t, false
}

func (s *scan) otherwise(at int) {
	f := &s.frames[len(s.frames)-1]
	if f.op != opIf {
		s.failAt(at, ErrMalformed, "an else without its if")
		return
	}
	f.op = opElse
	f.joined = f.joined || s.cur != dead
	if f.region != dead {
		s.enter(regionBranch, f.region, s.i)
	}
}

func (s *scan) close() {
	n := len(s.frames) - 1 // the number of the frame
	f := s.frames[n]
	s.frames = s.frames[:n]
	if f.op == opLoop {
		s.inside--
	}
	if n > 0 {
		outer := &s.frames[n-1].outer
		*outer = min(*outer, f.outer)
	}
	switch {
	case f.region == dead:
		return
	case f.op == opLoop && !f.joined:
		s.regions[f.inside].kind = regionSame
		return
	case f.op == opLoop:
		s.loops = true
		s.covered = s.covered || f.first && s.regions[f.inside].checkedAtEntry()
		if s.cur == dead {
			return
		}
	case f.op == opBlock && !f.joined:
		return
	case f.op == opElse && !f.joined && s.cur == dead:
		return
	}
	// What follows is run exactly as often as what came before the frame, unless
	// something inside leads past it.
	if s.cur = f.region; int(f.outer) < n {
		s.enter(regionBranch, f.region, s.i)
	}
}

// branch reads a label. If it is that of a loop, branch returns the region of its
// turns.
func (s *scan) branch() (turn int32) {
	at := s.i
	label := s.u32()
	if s.err != nil {
		return dead
	}
	if uint64(label) >= uint64(len(s.frames)) {
		s.failAt(at, ErrMalformed, "there is no label "+utoa(label))
		return dead
	}
	target := len(s.frames) - 1 - int(label)
	s.pass(s.frames[target].values)
	s.leave(target)
	if f := s.frames[target]; f.op == opLoop && s.cur != dead {
		return f.inside
	}
	return dead
}

// backEdge notes a branch, at an offset, that begins another turn.
func (s *scan) backEdge(at int, turn int32) {
	if turn == dead {
		return
	}
	if r := &s.regions[turn]; r.backEdges < manyBackEdges {
		r.backEdges++
	}
	s.edit(editBackEdge, at, uint32(turn))
}

// leave notes that control can go from here to the label of a frame.
func (s *scan) leave(target int) {
	if s.cur == dead {
		return
	}
	s.frames[target].joined = true
	top := &s.frames[len(s.frames)-1]
	top.outer = min(top.outer, int32(target))
}
