package vt

// csi takes a part of a control sequence: a prefix, parameters, intermediates,
// the final byte, of which only the last is always there.
func (s *Parser) csi(h Handler, p []byte) int {
	n := s.parameters(p, csiParams, csiBad)
	if n == len(p) {
		return n
	}
	c := p[n]
	switch {
	case c >= 0x40 && c < del:
		bad := s.state == csiBad
		s.state = ground
		if !bad {
			s.taken += n + 1
			h.CSI(s.op<<8|Op(c), &s.params)
		}
		return n + 1
	case c >= '<' && c <= '?':
		s.prefix(c, csiStart, csiParams, csiBad)
		return n + 1
	case isIntermediate(c):
		s.intermediate(c, csiEnd, csiBad)
		return n + 1
	case c == del:
		return n + 1
	}
	if i := s.interrupt(h, p[n:]); i > 0 {
		return n + i
	}
	if c < 0x20 {
		h.Execute(c)
		return n + 1
	}
	if s.state != csiBad {
		s.state = ground
	}
	return n + runeLen(p[n:])
}

// dcs takes a part of a device control string before its payload. That is the
// grammar of a control sequence, but nothing is executed inside.
func (s *Parser) dcs(h Handler, p []byte) int {
	n := s.parameters(p, dcsParams, badString)
	if n == len(p) || s.state == badString {
		return n
	}
	c := p[n]
	switch {
	case c >= 0x40 && c < del:
		s.op = s.op<<8 | Op(c)
		s.state = dcsString
		return n + 1
	case c >= '<' && c <= '?':
		s.prefix(c, dcsStart, dcsParams, badString)
		return n + 1
	case isIntermediate(c):
		s.intermediate(c, dcsEnd, badString)
		return n + 1
	}
	if i := s.interrupt(h, p[n:]); i > 0 {
		return n + i
	}
	if c <= del {
		return n + 1
	}
	s.state = ground
	return n + runeLen(p[n:])
}

// parameters takes the digits, semicolons and colons that p starts with, and
// returns how many. They may not come after an intermediate.
func (s *Parser) parameters(p []byte, next, bad state) int {
	if p[0] < '0' || p[0] > ';' {
		return 0
	}
	if s.state <= next {
		s.state = next
	} else {
		s.state = bad
	}
	v := s.params.last()
	for i, c := range p {
		switch {
		case c >= '0' && c <= '9':
			*v = min(max(*v, 0)*10+int32(c-'0'), MaxParam)
		case c == ';' || c == ':':
			v = s.params.next(c == ':')
		default:
			return i
		}
	}
	return len(p)
}

// prefix takes one of <=>?, which only comes first.
func (s *Parser) prefix(c byte, first, next, bad state) {
	if s.state != first {
		s.state = bad
		return
	}
	s.state = next
	s.op = Op(c)
}
