package vt

// Modes are what programs have switched on. The zero value is all off, which is
// not how a Screen begins: Autowrap is on then.
type Modes struct {
	Autowrap    bool // DECAWM
	Insert      bool // IRM
	Newline     bool // LNM
	Origin      bool // DECOM
	ReverseWrap bool // DEC private mode 45

	CursorHidden bool // DECTCEM, inverted
	CursorBlink  bool
	CursorShape  CursorShape

	AppCursor      bool // DECCKM: cursor keys send SS3
	AppKeypad      bool // DECKPAM
	BracketedPaste bool // 2004
	Focus          bool // 1004: tell of focus gained and lost
	Synchronized   bool // 2026

	Mouse         MouseMode
	MouseEncoding MouseEncoding
}

// A MouseMode says what the program wants to hear of the mouse. Its value is
// the number of the DEC private mode.
type MouseMode uint16

const (
	MouseOff    MouseMode = 0    // nothing is told
	MouseX10    MouseMode = 9    // presses
	MouseVT200  MouseMode = 1000 // presses and releases
	MouseDrag   MouseMode = 1002 // motion too, while a button is down
	MouseMotion MouseMode = 1003 // all motion
)

// A MouseEncoding says how. Its value is the number of the DEC private mode.
type MouseEncoding uint16

const (
	MouseBytes     MouseEncoding = 0    // each number in a byte, plus 32: columns and rows to 223
	MouseSGR       MouseEncoding = 1006 // mode 1006: numbers in decimal, in cells
	MouseSGRPixels MouseEncoding = 1016 // mode 1016: numbers in decimal, in pixels
)

// Modes returns the modes as they are now.
func (s *Screen) Modes() Modes { return s.modes }

// setModes is SM and RM.
func (s *Screen) setModes(params *Params, on bool) {
	for i := range params.Len() {
		switch v := params.Value(i); {
		case params.Sub(i):
		case v == 4:
			s.modes.Insert = on
		case v == 20:
			s.modes.Newline = on
		}
	}
}

// setPrivateModes is DECSET and DECRST.
func (s *Screen) setPrivateModes(params *Params, on bool) {
	for i := range params.Len() {
		if !params.Sub(i) {
			s.setPrivateMode(params.Value(i), on)
		}
	}
}

func (s *Screen) setPrivateMode(mode int, on bool) {
	m := &s.modes
	switch mode {
	case 1:
		m.AppCursor = on
	case 2:
		if on { // DECANM has the four sets be ASCII; there is no VT52 mode
			s.charsets.g = [4]charset{}
			s.charsets.active = 0
		}
	case 6:
		m.Origin = on
		s.moveTo(0, 0)
	case 7:
		m.Autowrap = on
	case 9, 1000, 1002, 1003:
		m.Mouse = MouseOff
		if on {
			m.Mouse = MouseMode(mode)
		}
	case 12:
		m.CursorBlink = on
	case 25:
		m.CursorHidden = !on
	case 45:
		m.ReverseWrap = on
	case 47, 1047, 1049:
		s.setAlt(mode == 1049, on)
	case 66:
		m.AppKeypad = on
	case 1004:
		m.Focus = on
	case 1006, 1016:
		m.MouseEncoding = MouseBytes
		if on {
			m.MouseEncoding = MouseEncoding(mode)
		}
	case 1048:
		if on {
			s.saveCursor()
		} else {
			s.restoreCursor()
		}
	case 2004:
		m.BracketedPaste = on
	case 2026:
		s.synchronize(on)
	}
}

// setAlt shows the alternate screen, blank, or the main one again. With cursor
// the main screen's cursor is saved before and restored after.
func (s *Screen) setAlt(cursor, on bool) {
	if on && cursor {
		s.saveCursor()
	}
	switch {
	case on && s.buf == &s.main:
		s.main.y = s.y
		if s.alt == nil {
			s.alt = new(buffer)
		}
		s.buf = s.alt
		s.clearScreen(s.blank())
		s.markAll()
	case !on && s.buf != &s.main:
		// It keeps its memory: a program that goes to and fro would have it made anew
		// each time, with a few bytes.
		saved := s.alt.saved
		s.clearScreen(0)
		s.alt.renew()
		s.alt.saved = saved
		s.buf = &s.main
		s.markAll()
	}
	if !on && cursor {
		s.restoreCursor()
	}
}

// Alt reports whether the alternate screen is shown.
func (s *Screen) Alt() bool {
	if s.frame != nil {
		return s.frame.alt
	}
	return s.buf != &s.main
}

// softReset is DECSTR. The cursor stays where it is.
func (s *Screen) softReset() {
	b := s.buf
	b.top, b.bottom = 0, s.rows-1
	s.setPen(Style{})
	s.charsets = charsets{}
	m := &s.modes
	*m = Modes{
		Autowrap:      true,
		Newline:       m.Newline,
		Mouse:         m.Mouse,
		MouseEncoding: m.MouseEncoding,
	}
	s.thaw()
	b.saved = savedCursor{y: b.base}
}

// setCursorShape is DECSCUSR.
func (s *Screen) setCursorShape(n int) {
	m := &s.modes
	switch n {
	case 0:
		m.CursorShape = DefaultCursor
	case 1, 2:
		m.CursorShape = BlockCursor
	case 3, 4:
		m.CursorShape = UnderlineCursor
	case 5, 6:
		m.CursorShape = BarCursor
	}
	m.CursorBlink = n%2 == 1
}

// setRegion is DECSTBM. A region of less than two rows is none.
func (s *Screen) setRegion(params *Params) {
	top := params.Or(0, 1)
	bottom := params.second()
	if bottom == 0 || bottom > s.rows {
		bottom = s.rows
	}
	if bottom > top {
		s.buf.top, s.buf.bottom = top-1, bottom-1
		s.moveTo(0, 0)
	}
}
