package awk

// block runs statements until one jumps.
func (in *interp) block(list []stmt) jump {
	for _, s := range list {
		in.tick()
		if j := s.exec(in); j != noJump {
			return j
		}
		if in.exiting {
			return jumpExit
		}
	}
	return noJump
}

func (s *exprStmt) exec(in *interp) jump {
	s.x.eval(in)
	if in.exiting {
		return jumpExit
	}
	return noJump
}

func (s *numberStmt) exec(in *interp) jump {
	s.x.number(in)
	if in.exiting {
		return jumpExit
	}
	return noJump
}

func (s *printStmt) exec(in *interp) jump {
	in.print(s)
	return noJump
}

func (s *ifStmt) exec(in *interp) jump {
	if s.test.holds(in) {
		return in.block(s.yes)
	}
	return in.block(s.no)
}

func (s *deleteStmt) exec(in *interp) jump {
	arr := in.array(s.arr)
	if s.subs == nil {
		arr.clear()
	} else {
		arr.remove(in.subscript(s.subs))
	}
	return noJump
}

func (s *jumpStmt) exec(in *interp) jump {
	switch s.kind {
	case jumpReturn:
		v := value{}
		if s.x != nil {
			v = s.x.eval(in)
		}
		in.ret = v
	case jumpExit:
		if s.x != nil {
			in.status = int(s.x.eval(in).num()) & 0xff
		}
		in.exiting = true
	case jumpNext, jumpNextFile:
		if in.depth > 0 {
			panic(s.kind) // out of all functions
		}
	}
	return s.kind
}

func (s *loopStmt) exec(in *interp) jump {
	if s.init != nil {
		s.init.exec(in)
	}
	for first := s.first; ; first = false {
		in.tick()
		if !first && s.test != nil && !s.test.holds(in) {
			return noJump
		}
		if in.exiting {
			return jumpExit
		}
		switch j := in.block(s.body); j {
		case jumpBreak:
			return noJump
		case noJump, jumpContinue:
		default:
			return j
		}
		if s.step != nil {
			s.step.exec(in)
		}
	}
}

// It visits the elements that there are when it begins.
func (s *forInStmt) exec(in *interp) jump {
	list := in.array(s.arr).list()
	for _, e := range list {
		if e.dead {
			continue
		}
		in.tick()
		in.set(s.v, field(e.key))
		switch j := in.block(s.body); j {
		case jumpBreak:
			return noJump
		case noJump, jumpContinue:
		default:
			return j
		}
	}
	return noJump
}
