package vt

// Prefixes and intermediates of an Op.
const (
	private = '?' << 8
	greater = '>' << 8
	space   = ' ' << 8
	bang    = '!' << 8
	quote   = '"' << 8
	tick    = '\'' << 8
	dollar  = '$' << 8
	hash    = '#' << 8
)

// execute does a C0 or C1 control.
func (s *Screen) execute(c byte) {
	switch c {
	case '\n', '\v', '\f':
		s.lineFeed()
	case '\r':
		s.x = 0
	case '\b':
		s.backspace()
	case '\t':
		s.tabForward(1)
	case bel:
		s.bells++
	case 0x0E: // SO
		s.charsets.invoke(1)
	case 0x0F: // SI
		s.charsets.invoke(0)
	case 0x84: // IND
		s.index()
	case 0x85: // NEL
		s.x = 0
		s.index()
	case 0x88: // HTS
		s.setTabHere()
	}
}

func (s *Screen) setTabHere() {
	if s.x < s.cols {
		s.buf.setTab(s.x, true, s.cols)
	}
}

// escape does an escape sequence.
func (s *Screen) escape(op Op) {
	switch op {
	case '7':
		s.saveCursor()
	case '8':
		s.restoreCursor()
	case '=':
		s.modes.AppKeypad = true
	case '>':
		s.modes.AppKeypad = false
	case 'D':
		s.index()
	case 'E':
		s.x = 0
		s.index()
	case 'H':
		s.setTabHere()
	case 'M':
		s.reverseIndex()
	case 'c':
		s.reset()
	case 'n', '}':
		s.charsets.invoke(2)
	case 'o', '|':
		s.charsets.invoke(3)
	case '~':
		s.charsets.invoke(1)
	case hash | '8':
		s.align()
	case '%'<<8 | '@', '%'<<8 | 'G':
		s.charsets.invoke(0)
		s.charsets.designate(0, 0)
	default:
		s.designate(op)
	}
}

// designate is SCS.
func (s *Screen) designate(op Op) {
	if op>>16 != 0 {
		return
	}
	set, ok := charsetNamed(byte(op))
	if !ok {
		return
	}
	switch op >> 8 {
	case '(':
		s.charsets.designate(0, set)
	case ')', '-':
		s.charsets.designate(1, set)
	case '*', '.':
		s.charsets.designate(2, set)
	case '+':
		s.charsets.designate(3, set)
	}
}

// control does a control sequence.
func (s *Screen) control(op Op, params *Params) {
	switch op {
	case 'm':
		s.setGraphics(params)
	case 'H', 'f':
		s.moveTo(max(params.second(), 1)-1, params.Or(0, 1)-1)
	case 'J':
		s.eraseDisplay(params.Value(0), false)
	case 'K':
		s.eraseLine(params.Value(0), false)
	case 'h':
		s.setModes(params, true)
	case 'l':
		s.setModes(params, false)
	case private | 'h':
		s.setPrivateModes(params, true)
	case private | 'l':
		s.setPrivateModes(params, false)
	case private | 'J':
		s.eraseDisplay(params.Value(0), true)
	case private | 'K':
		s.eraseLine(params.Value(0), true)
	case 'r':
		s.setRegion(params)
	case 's':
		s.saveCursor()
	case 'u':
		s.restoreCursor()
	case 'g':
		s.clearTab(params.Value(0))
	case bang | 'p':
		s.softReset()
	case space | 'q':
		s.setCursorShape(params.Value(0))
	case quote | 'q':
		s.protect(params.Value(0))
	case 't':
		s.windowOp(params)
	case 'c', greater | 'c', 'n', private | 'n', dollar | 'p', '?'<<16 | '$'<<8 | 'p':
		s.answer(op, params.Value(0))
	default:
		s.move(op, params.Or(0, 1))
	}
}

// move does the control sequences that take a count or a position.
func (s *Screen) move(op Op, n int) {
	switch op {
	case 'A':
		s.up(n)
	case 'B':
		s.down(n)
	case 'C', 'a':
		s.moveBy(n, 0)
	case 'D':
		s.moveBy(-n, 0)
	case 'E':
		s.down(n)
		s.x = 0
	case 'F':
		s.up(n)
		s.x = 0
	case 'G', '`':
		s.moveTo(n-1, s.y)
	case 'd':
		s.moveTo(s.x, n-1)
	case 'e':
		s.moveBy(0, n)
	case 'I':
		s.tabForward(n)
	case 'Z':
		s.tabBackward(n)
	default:
		s.edit(op, n)
	}
}

// edit does the control sequences that change n cells or rows.
func (s *Screen) edit(op Op, n int) {
	switch op {
	case '@':
		s.restrict(s.cols - 1)
		s.row(s.y).insert(s.x, n, s.blank(), s.cols)
	case 'P':
		s.restrict(s.cols - 1)
		s.row(s.y).delete(s.x, n, s.blank(), s.cols)
	case 'X':
		s.restrict(s.cols - 1)
		s.row(s.y).replace(s.x, min(s.x+n, s.cols), s.blank(), s.cols)
	case 'L':
		s.insertLines(n)
	case 'M':
		s.insertLines(-n)
	case 'S':
		s.shift(s.buf.top, s.buf.bottom, n, s.blank())
	case 'T':
		s.shift(s.buf.top, s.buf.bottom, -n, 0)
	case space | '@':
		s.eachRegionRow(func(r *row) { r.delete(0, n, s.blank(), s.cols) })
	case space | 'A':
		s.eachRegionRow(func(r *row) { r.insert(0, n, s.blank(), s.cols) })
	case tick | '}':
		s.eachRegionRow(func(r *row) { r.insert(s.x%s.cols, n, s.blank(), s.cols) })
	case tick | '~':
		s.eachRegionRow(func(r *row) { r.delete(s.x%s.cols, n, s.blank(), s.cols) })
	case 'b':
		s.repeat(n)
	}
}

// clearTab is TBC.
func (s *Screen) clearTab(what int) {
	switch what {
	case 0:
		s.buf.setTab(s.x, false, s.cols)
	case 3:
		s.buf.clearTabs(s.cols)
	}
}

// protect is DECSCA.
func (s *Screen) protect(what int) {
	st := s.pen
	switch what {
	case 0, 2:
		st.Attr &^= protected
	case 1:
		st.Attr |= protected
		s.protects = true
	}
	s.setPen(st)
}
