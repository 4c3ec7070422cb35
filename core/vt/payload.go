package vt

// body takes a part of the payload of a string, or what ends it.
func (s *Parser) body(h Handler, p []byte) int {
	n := TextLen(p)
	if n == len(p) {
		s.keep(p)
		return n
	}
	c := p[n]
	ends := c == esc || c == 0xC2 && p[n+1] == c1ST || c == bel && s.state == oscString
	switch {
	case ends:
		s.end(h, p[:n])
		if c == bel {
			s.state = ground
			return n + 1
		}
		return n + s.interrupt(h, p[n:])
	case c == can || c == sub || c == 0xC2:
		s.drop()
		return n + s.interrupt(h, p[n:])
	case c == del || s.state == dcsString:
		s.keep(p[:n+1])
		return n + 1
	}
	s.keep(p[:n])
	return n + 1
}

// end hands the string on, with last as the last of its payload.
func (s *Parser) end(h Handler, last []byte) {
	payload := last
	if len(s.payload) > 0 || s.tooLong || len(last) > MaxPayload {
		s.keep(last)
		payload = s.payload
	}
	switch {
	case s.tooLong:
	case s.state == oscString:
		h.OSC(payload)
	case s.state == dcsString:
		h.DCS(s.op, &s.params, payload)
	}
	s.drop()
}

// keep makes p part of the payload.
func (s *Parser) keep(p []byte) {
	if s.state == badString || s.tooLong {
		return
	}
	if len(s.payload)+len(p) > MaxPayload {
		s.drop()
		s.tooLong = true
		return
	}
	s.payload = append(s.payload, p...)
}

// drop forgets the payload.
func (s *Parser) drop() {
	s.payload = s.payload[:0]
	if cap(s.payload) > keepPayload {
		s.payload = nil
	}
}
