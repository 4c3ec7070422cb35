package vt

// MaxPayload is the number of bytes that the payload of a string sequence (OSC
// or DCS) can have. One with more is dropped as a whole.
const MaxPayload = 64 << 10

// keepPayload is the memory for payloads, in bytes, that a Parser does not give
// back after use.
const keepPayload = 4 << 10

const (
	bel = 0x07
	can = 0x18
	sub = 0x1A
	esc = 0x1B
	del = 0x7F
)

// C1 controls that begin or end something, U+0080 to U+009F. Each is the same
// as ESC and the byte 0x40 below.
const (
	c1DCS = 0x90
	c1SOS = 0x98
	c1CSI = 0x9B
	c1ST  = 0x9C
	c1OSC = 0x9D
	c1PM  = 0x9E
	c1APC = 0x9F
)

// A Parser splits terminal output into what a [Handler] takes. It knows the
// grammar of sequences, not their meaning. The zero value is ready to use.
//
// It is the state machine of https://vt100.net/emu/dec_ansi_parser, with these
// differences, all but the last as in xterm.js 6:
//
//   - It reads UTF-8, so C1 controls are two bytes: U+009B is CSI. A character
//     that cannot be there, such as é in a control sequence, ends the sequence
//     and is dropped with it.
//   - Colons separate sub-parameters.
//   - BEL ends an OSC too. ESC ends an OSC or a DCS, whatever follows it; CAN,
//     SUB and the other C1 controls drop it.
//   - Parameters beyond [MaxParams] are dropped, not the sequence.
//   - A sequence with more than two intermediates, and one with a payload
//     beyond [MaxPayload], is dropped. SOS, PM and APC are dropped, with any
//     character in them.
type Parser struct {
	state   state
	op      Op // prefix and intermediates so far
	params  Params
	payload []byte
	tooLong bool // the payload had more than MaxPayload bytes
	taken   int  // how much of what step was given is taken, while in the Handler's ESC or CSI
}

// A state says what the next byte is part of. Those of one kind of sequence are
// in the order in which they come.
type state uint8

const (
	ground    state = iota // text
	escape                 // an escape sequence, after ESC
	escapeEnd              // its rest, after an intermediate
	escapeBad              // the rest of an escape sequence to drop
	csiStart               // a control sequence, after CSI
	csiParams              // its parameters, after the first byte
	csiEnd                 // its rest, after an intermediate
	csiBad                 // the rest of a control sequence to drop
	dcsStart               // the same for a device control string
	dcsParams
	dcsEnd
	oscString // the payload of an OSC
	dcsString // the payload of a DCS
	badString // the payload of a string to drop
)

// Parse hands what p holds to h, and keeps in mind what p ends in the midst of.
// p is valid UTF-8, whole characters; in anything else, bad bytes are text. p
// is not kept. Where the stream is cut into chunks makes no difference to what
// h is told, but for the cuts in text. h must not call Parse.
//
// It does not allocate, but for a payload that is not whole in p.
func (s *Parser) Parse(h Handler, p []byte) {
	for len(p) > 0 {
		p = p[s.step(h, p):]
	}
}

// step takes the start of p, not empty, and returns how much.
func (s *Parser) step(h Handler, p []byte) int {
	s.taken = 0
	switch s.state {
	case ground:
		return s.text(h, p)
	case escape, escapeEnd, escapeBad:
		return s.escape(h, p)
	case csiStart, csiParams, csiEnd, csiBad:
		return s.csi(h, p)
	case dcsStart, dcsParams, dcsEnd:
		return s.dcs(h, p)
	}
	return s.body(h, p)
}

// Ground reports whether the Parser is between sequences.
func (s *Parser) Ground() bool { return s.state == ground }

// text and its likes take the start of p, not empty, and return how much.
func (s *Parser) text(h Handler, p []byte) int {
	n := 0
	if p[0] >= 0x20 {
		if n = TextLen(p); n > 0 {
			h.Print(p[:n])
		}
		if n == len(p) {
			return n
		}
	}
	c := p[n]
	switch {
	case c == esc && n+2 < len(p) && p[n+1] == '[':
		// By far the most common, so without going through the states.
		s.start(csiStart)
		s.taken = n + 2
		return n + 2 + s.csi(h, p[n+2:])
	case c < 0x20 && c != esc:
		h.Execute(c)
		return n + 1
	case c == del:
		return n + 1
	}
	return n + s.interrupt(h, p[n:])
}

// interrupt takes what means the same anywhere: CAN, SUB, ESC and the C1
// controls. It returns 0 if p starts with something else.
func (s *Parser) interrupt(h Handler, p []byte) int {
	switch c := p[0]; {
	case c == esc:
		s.state = escape
		s.op = 0
		return 1
	case c == can || c == sub:
		s.state = ground
		h.Execute(c)
		return 1
	case c == 0xC2 && isC1(p):
		s.state = ground
		if !s.begin(p[1]) && p[1] != c1ST {
			h.Execute(p[1])
		}
		return 2
	}
	return 0
}

// begin starts what the C1 control c does, and reports whether that is
// anything.
func (s *Parser) begin(c byte) bool {
	switch c {
	case c1CSI:
		s.start(csiStart)
	case c1DCS:
		s.start(dcsStart)
	case c1OSC:
		s.start(oscString)
	case c1SOS, c1PM, c1APC:
		s.start(badString)
	default:
		return false
	}
	return true
}

// start makes next the state, with nothing known about the sequence.
func (s *Parser) start(next state) {
	s.state = next
	s.op = 0
	s.params.reset()
	s.payload = s.payload[:0]
	s.tooLong = false
}

func (s *Parser) escape(h Handler, p []byte) int {
	if n := s.interrupt(h, p); n > 0 {
		return n
	}
	switch c := p[0]; {
	case c < 0x20:
		h.Execute(c)
	case c < 0x30:
		s.intermediate(c, escapeEnd, escapeBad)
	case c == del:
	case c > del:
		s.state = ground
		return runeLen(p)
	case s.state == escape && s.begin(c+0x40):
	default:
		op := s.op<<8 | Op(c)
		s.taken = 1
		if s.state != escapeBad && op != '\\' { // ST has nothing to end here
			h.ESC(op)
		}
		s.state = ground
	}
	return 1
}

// intermediate makes c part of the Op. The state is then next, or bad if there
// were two already.
func (s *Parser) intermediate(c byte, next, bad state) {
	if s.state == bad {
		return
	}
	if isIntermediate(byte(s.op)) && isIntermediate(byte(s.op>>8)) {
		s.state = bad
		return
	}
	s.state = next
	s.op = s.op<<8 | Op(c)
}

func isIntermediate(c byte) bool { return c >= 0x20 && c < 0x30 }
