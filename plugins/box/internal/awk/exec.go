package awk

// block runs statements until one jumps.
func (in *interp) block(list []stmt) jump {
	for _, s := range list {
		if j := in.exec(s); j != noJump {
			return j
		}
		if in.exiting {
			return jumpExit
		}
	}
	return noJump
}

func (in *interp) exec(s stmt) jump {
	in.tick()
	switch s := s.(type) {
	case *exprStmt:
		in.eval(s.x)
		if in.exiting {
			return jumpExit
		}
	case *printStmt:
		in.print(s)
	case *ifStmt:
		if in.eval(s.test).truth() {
			return in.block(s.yes)
		}
		return in.block(s.no)
	case *loopStmt:
		return in.loop(s)
	case *forInStmt:
		return in.forIn(s)
	case *deleteStmt:
		arr := in.array(s.arr)
		if s.subs == nil {
			arr.clear()
		} else {
			arr.remove(in.subscript(s.subs))
		}
	case *jumpStmt:
		if s.kind == jumpReturn {
			v := value{}
			if s.x != nil {
				v = in.eval(s.x)
			}
			in.ret = v
		}
		if s.kind == jumpExit {
			if s.x != nil {
				in.status = int(in.eval(s.x).num()) & 0xff
			}
			in.exiting = true
		}
		if s.kind == jumpNext || s.kind == jumpNextFile {
			if in.depth > 0 {
				panic(s.kind) // out of all functions
			}
		}
		return s.kind
	}
	return noJump
}

func (in *interp) loop(s *loopStmt) jump {
	if s.init != nil {
		in.exec(s.init)
	}
	for first := s.first; ; first = false {
		in.tick()
		if !first && s.test != nil && !in.eval(s.test).truth() {
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
			in.exec(s.step)
		}
	}
}

// forIn visits the elements that there are when it begins.
func (in *interp) forIn(s *forInStmt) jump {
	list := append([]*element(nil), in.array(s.arr).order...)
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
