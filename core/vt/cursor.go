package vt

// A Cursor is where the next character goes, and how that is shown.
type Cursor struct {
	// X and Y are the column and the row. X is one beyond the last column
	// after a character was put there: the next one wraps.
	X, Y   int
	Hidden bool
	Shape  CursorShape
	Blink  bool
}

// A CursorShape is what DECSCUSR asked for.
type CursorShape uint8

const (
	DefaultCursor   CursorShape = iota // whichever shape the viewer likes: no program asked for one
	BlockCursor                        // the whole cell
	UnderlineCursor                    // a line at the foot of the cell
	BarCursor                          // a vertical line at the left edge of the cell
)

// Cursor returns the cursor that a person sees; see [Screen.Synchronized].
func (s *Screen) Cursor() Cursor {
	if s.frame != nil {
		return s.frame.cursor
	}
	return s.liveCursor()
}

func (s *Screen) liveCursor() Cursor {
	m := &s.modes
	return Cursor{X: min(s.x, s.cols), Y: s.y, Hidden: m.CursorHidden, Shape: m.CursorShape, Blink: m.CursorBlink}
}

// restrict puts the cursor into the screen, or the region in origin mode, and
// no further right than maxX.
func (s *Screen) restrict(maxX int) {
	s.x = min(max(s.x, 0), maxX)
	if s.modes.Origin {
		s.y = min(max(s.y, s.buf.top), s.buf.bottom)
	} else {
		s.y = min(max(s.y, 0), s.rows-1)
	}
}

// moveTo puts the cursor at a position, which counts from the top of the region
// in origin mode.
func (s *Screen) moveTo(x, y int) {
	if s.modes.Origin {
		y += s.buf.top
	}
	s.x, s.y = x, y
	s.restrict(s.cols - 1)
}

// moveBy moves the cursor. In origin mode xterm.js takes the row it comes to as
// one of the region, and so do we.
func (s *Screen) moveBy(dx, dy int) {
	s.restrict(s.cols - 1)
	s.moveTo(s.x+dx, s.y+dy)
}

// up stops at the top of the region, unless it is above that already.
func (s *Screen) up(n int) {
	if above := s.y - s.buf.top; above >= 0 {
		n = min(n, above)
	}
	s.moveBy(0, -n)
}

func (s *Screen) down(n int) {
	if below := s.buf.bottom - s.y; below >= 0 {
		n = min(n, below)
	}
	s.moveBy(0, n)
}

// backspace is BS. With reverse wrap-around it goes back to the row above where
// this one continues it.
func (s *Screen) backspace() {
	if !s.modes.ReverseWrap {
		s.restrict(s.cols - 1)
		s.x = max(s.x-1, 0)
		return
	}
	s.restrict(s.cols)
	if s.x > 0 {
		s.x--
	} else if s.inRegion() && s.y > s.buf.top && s.buf.seen(s.y).wrapped {
		s.buf.unwrap(s.y)
		s.y--
		s.x = s.cols - 1
		if c := s.buf.seen(s.y).at(s.x); c.width() != 0 && !c.hasContent() {
			s.x-- // a wide character did not fit there
		}
	}
	s.restrict(s.cols - 1)
}

func (s *Screen) tabForward(n int) {
	if s.x >= s.cols {
		return
	}
	for ; n > 0 && s.x < s.cols-1; n-- {
		s.x = s.buf.nextTab(s.x, s.cols)
	}
}

func (s *Screen) tabBackward(n int) {
	if s.x >= s.cols {
		return
	}
	for ; n > 0 && s.x > 0; n-- {
		s.x = s.buf.prevTab(s.x, s.cols)
	}
}

// saveCursor is DECSC.
func (s *Screen) saveCursor() {
	s.buf.saved = savedCursor{x: s.x, y: s.buf.base + s.y, style: s.pen, charset: s.charsets.active}
}

// restoreCursor is DECRC. Lines that scrolled out since then took the saved
// position with them, as in xterm.js. A hyperlink is not restored.
func (s *Screen) restoreCursor() {
	saved := &s.buf.saved
	s.x = saved.x
	s.y = max(saved.y-s.buf.base, 0)
	st := saved.style
	st.link = s.pen.link
	s.setPen(st)
	s.charsets.active = saved.charset
	s.restrict(s.cols - 1)
}
