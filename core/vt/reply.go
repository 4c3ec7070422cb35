package vt

import "strconv"

// maxReplies is how many bytes of replies wait to be taken. A reply that does
// not fit is dropped.
const maxReplies = 4 << 10

// TakeReplies appends to dst what the Screen has to say to the program, as if
// typed, and forgets it. It is nothing unless Options.Replies is set. Whoever
// sets it must be the only one to answer: a page that shows the same output
// must not.
func (s *Screen) TakeReplies(dst []byte) []byte {
	dst = append(dst, s.replies...)
	s.replies = s.replies[:0]
	return dst
}

// replyBytes queues p, if replies are on and there is room.
func (s *Screen) replyBytes(p []byte) {
	if s.options.Replies && len(s.replies)+len(p) <= maxReplies {
		s.replies = append(s.replies, p...)
	}
}

// replyString queues text.
func (s *Screen) replyString(text string) {
	var buf [64]byte
	s.replyBytes(append(buf[:0], text...))
}

// replyPair queues before, two numbers with a semicolon, and after.
func (s *Screen) replyPair(before string, a, b int, after string) {
	var buf [64]byte
	p := append(buf[:0], before...)
	p = strconv.AppendInt(p, int64(a), 10)
	p = append(p, ';')
	p = strconv.AppendInt(p, int64(b), 10)
	s.replyBytes(append(p, after...))
}

// replySize answers XTWINOPS 18.
func (s *Screen) replySize() { s.replyPair("\x1b[8;", s.rows, s.cols, "t") }

// answer answers a query with the words of xterm.js.
func (s *Screen) answer(op Op, n int) {
	if !s.options.Replies {
		return
	}
	switch {
	case op == csiDA1 && n == 0:
		s.replyString("\x1b[?1;2c")
	case op == csiDA2 && n == 0:
		s.replyString("\x1b[>0;276;0c")
	case op == csiDSR && n == 5:
		s.replyString("\x1b[0n")
	case op == csiDSR && n == 6: // CPR
		s.replyPair("\x1b[", s.y+1, min(s.x+1, s.cols), "R")
	case op == csiDECDSR && n == 6: // DECXCPR
		s.replyPair("\x1b[?", s.y+1, min(s.x+1, s.cols), "R")
	case op == csiRQM:
		s.replyPair("\x1b[", n, s.modeState(n), "$y")
	case op == csiDECRQM:
		s.replyPair("\x1b[?", n, s.privateModeState(n), "$y")
	}
}

// What DECRPM says of a mode.
const (
	modeUnknown = iota
	modeSet
	modeReset
	modeAlwaysSet
	modeNeverSet
)

func setOrReset(on bool) int {
	if on {
		return modeSet
	}
	return modeReset
}

func (s *Screen) modeState(n int) int {
	switch n {
	case 2:
		return modeNeverSet
	case 4:
		return setOrReset(s.modes.Insert)
	case 12:
		return modeAlwaysSet
	case 20:
		return setOrReset(s.modes.Newline)
	}
	return modeUnknown
}

func (s *Screen) privateModeState(n int) int {
	m := &s.modes
	switch n {
	case 1:
		return setOrReset(m.AppCursor)
	case 6:
		return setOrReset(m.Origin)
	case 7:
		return setOrReset(m.Autowrap)
	case 8:
		return modeAlwaysSet
	case 9, 1000, 1002, 1003:
		return setOrReset(m.Mouse == MouseMode(n))
	case 12:
		return setOrReset(m.CursorBlink)
	case 25:
		return setOrReset(!m.CursorHidden)
	case 45:
		return setOrReset(m.ReverseWrap)
	case 66:
		return setOrReset(m.AppKeypad)
	case 67, 1005, 1015:
		return modeNeverSet
	case 1004:
		return setOrReset(m.Focus)
	case 1006, 1016:
		return setOrReset(m.MouseEncoding == MouseEncoding(n))
	case 1048:
		return modeSet
	case 47, 1047, 1049:
		return setOrReset(s.buf != &s.main)
	case 2004:
		return setOrReset(m.BracketedPaste)
	case 2026:
		return setOrReset(m.Synchronized)
	}
	return modeUnknown
}

// device does a device control string: DECRQSS.
func (s *Screen) device(op Op, data []byte) {
	if op != dollar|'q' || !s.options.Replies {
		return
	}
	switch string(data) {
	case `"q`:
		on := 0
		if s.pen.Attr&protected != 0 {
			on = 1
		}
		s.replyString("\x1bP1$r" + strconv.Itoa(on) + "\"q\x1b\\")
	case `"p`:
		s.replyString("\x1bP1$r61;1\"p\x1b\\")
	case "r":
		s.replyPair("\x1bP1$r", s.buf.top+1, s.buf.bottom+1, "r\x1b\\")
	case "m":
		var buf [64]byte
		p := append(buf[:0], "\x1bP1$r0"...)
		p = appendStyleParams(p, s.pen)
		s.replyBytes(append(p, "m\x1b\\"...))
	case " q":
		s.replyString("\x1bP1$r" + strconv.Itoa(s.modes.shapeNumber()) + " q\x1b\\")
	default:
		s.replyString("\x1bP0$r\x1b\\")
	}
}

// shapeNumber returns the parameter of DECSCUSR that gives the cursor's shape.
func (m *Modes) shapeNumber() int {
	if m.CursorShape == DefaultCursor {
		return 0
	}
	n := 2 * int(m.CursorShape)
	if m.CursorBlink {
		n--
	}
	return n
}
