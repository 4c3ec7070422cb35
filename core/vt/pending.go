package vt

// appendPending appends bytes that bring a new Parser into the state that s is
// in: the start of the sequence that s is in the midst of.
func (s *Parser) appendPending(dst []byte) []byte {
	switch s.state {
	case ground:
		return dst
	case escape, escapeEnd:
		return append(append(dst, esc), s.op.String()...)
	case escapeBad:
		return append(dst, "\x1b   "...) // more than two intermediates
	case csiStart, csiParams, csiEnd:
		return s.appendStart(append(dst, "\x1b["...))
	case csiBad:
		return append(dst, "\x1b[0?"...) // a prefix that is none
	case dcsStart, dcsParams, dcsEnd:
		return s.appendStart(append(dst, "\x1bP"...))
	}
	if s.state == badString || s.tooLong {
		return append(dst, "\x1bX"...)
	}
	if s.state == oscString {
		return append(append(dst, "\x1b]"...), s.payload...)
	}
	return append(s.appendStart(append(dst, "\x1bP"...)), s.payload...)
}

// appendStart appends the prefix, the parameters and what follows them.
func (s *Parser) appendStart(dst []byte) []byte {
	op := s.op.String()
	if op != "" && op[0] >= '<' && op[0] <= '?' {
		dst = append(dst, op[0])
		op = op[1:]
	}
	if s.state != csiStart && s.state != dcsStart {
		dst = s.params.appendTo(dst)
	}
	return append(dst, op...)
}

// appendTo appends the values as they are written.
func (p *Params) appendTo(dst []byte) []byte {
	for i := range p.Len() {
		switch {
		case i > 0 && p.Sub(i):
			dst = append(dst, ':')
		case i > 0:
			dst = append(dst, ';')
		}
		if v := p.Value(i); v > 0 || v == 0 && p.Sub(i) {
			dst = appendInt(dst, "", v)
		}
	}
	return dst
}
