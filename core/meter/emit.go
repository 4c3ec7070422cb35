package meter

// appendBody appends the metered body of the function that was just read, with
// its size before it.
//
// Where a function can loop, a local has the fuel, and the global only gets it
// for calls and at the end: the processor would otherwise wait in every turn
// for what it stored in the last. So that there is one end, the body becomes a
// block, and what was a return a branch to its end.
func (s *scan) appendBody(dst []byte) []byte {
	a := asm{code: s.body[:0], fuel: s.fuel(), refill: s.refill()}
	fuel := s.locals // the local that has it
	if s.loops {
		a.code = appendU32(a.code, s.groups+1)
		a.op(s.wasm[s.declared.start:s.declared.end]...)
		a.op(1, byte(typeI64))
		a.index(opGlobalGet, a.fuel)
		a.set(fuel)
		s.charge(&a, 0)
		a.op(opBlock)
		a.code = s.appendResults(a.code)
	} else {
		a.code = appendU32(a.code, s.groups)
		a.op(s.wasm[s.declared.start:s.declared.end]...)
		s.charge(&a, 0)
	}

	done := uint32(s.declared.end)
	for i := range s.edits {
		e := &s.edits[i]
		a.op(s.wasm[done:e.at]...)
		done = e.end
		if s.loops && !e.current && (e.kind == editCall || e.kind == editIndirect || e.kind == editHelper) {
			a.get(fuel)
			a.index(opGlobalSet, a.fuel)
		}
		switch e.kind {
		case editCharge:
			s.charge(&a, int32(e.arg))
		case editReload:
			if s.loops {
				a.index(opGlobalGet, a.fuel)
				a.set(fuel)
			}
		case editBackEdge:
			s.backEdgeCode(&a, e, fuel)
		case editCall:
			a.index(opCall, s.shifted(e.arg))
		case editHelper:
			a.index(opCall, s.helperIndex(e.arg))
		case editRef:
			a.index(opRefFunc, s.shifted(e.arg))
		case editReturn:
			if s.loops {
				a.index(opBr, e.arg)
				continue
			}
			a.op(opReturn)
		case editIndirect:
			a.op(s.wasm[e.at:e.end]...)
		}
	}
	a.op(s.wasm[done:len(s.p)]...)
	if s.loops {
		a.get(fuel)
		a.index(opGlobalSet, a.fuel)
		a.op(opEnd)
	}
	s.body = a.code
	dst = appendU32(dst, uint32(len(a.code)))
	return append(dst, a.code...)
}

// backEdgeCode writes a branch to a loop. Where few lead to it, each checks the
// fuel, so that the code inside stays in one piece for the engine.
func (s *scan) backEdgeCode(a *asm, e *edit, fuel uint32) {
	if s.regions[e.arg].checkedAtEntry() {
		a.op(s.wasm[e.at:e.end]...)
		return
	}
	r := reader{p: s.wasm, i: int(e.at) + 1}
	label := r.u32()
	if s.wasm[e.at] == opBrIf {
		a.op(opIf, typeEmpty)
		label++
	}
	a.get(fuel)
	a.i64(0)
	a.op(opI64GeS)
	a.index(opBrIf, label)
	a.get(fuel)
	a.index(opCall, s.helperIndex(s.helper(helper{op: helperRefill})))
	a.set(fuel)
	a.index(opBr, label)
	if s.wasm[e.at] == opBrIf {
		a.op(opEnd)
	}
}

// charge writes what is to be done on entering a region.
func (s *scan) charge(a *asm, i int32) {
	if s.owners[i] != i {
		return
	}
	r := &s.regions[i]
	check := r.checkedAtEntry() || s.total > hugeFunction
	if i == 0 {
		leaf := !s.calls && s.total <= smallLeaf
		check = !leaf && !s.covered || s.total > hugeFunction
	}
	if s.loops {
		if r.charge > 0 {
			a.chargeLocal(s.locals, r.charge)
		}
		if check {
			a.checkLocal(s.locals, s.helperIndex(s.helper(helper{op: helperRefill})))
		}
		return
	}
	if r.charge > 0 {
		a.charge(r.charge)
	}
	if check {
		a.check()
	}
}

// appendResults appends the type of a block that leaves what the function
// returns.
func (s *scan) appendResults(dst []byte) []byte {
	switch len(s.typ.results) {
	case 0:
		return append(dst, typeEmpty)
	case 1:
		return append(dst, s.typ.results[0])
	}
	return appendS64(dst, int64(s.typeOf(signature("", string(s.typ.results)))))
}
