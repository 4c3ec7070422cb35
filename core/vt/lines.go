package vt

// A Sink takes text. p is lent.
type Sink interface {
	Append(p []byte)
}

// given is what went to Options.Scrolled.
type given struct {
	any  bool
	open bool // it ends in the midst of a line
}

// scrolls reports whether anybody keeps the rows that leave the main screen.
func (s *Screen) scrolls() bool { return s.history.limit > 0 || s.options.Scrolled != nil }

// handOn gives row r, which leaves the main screen, to Options.Scrolled.
// continued says that the row below it goes on with its line.
func (s *Screen) handOn(r *row, continued bool) {
	g := &s.given
	scratch := s.scratch()
	p := scratch.text[:0]
	if g.open && !r.wrapped {
		p = append(p, '\n')
	}
	start := len(p)
	p = s.appendCells(p, r)
	if !continued {
		p = append(trimBlanks(p, start), '\n')
	}
	g.any, g.open = true, continued
	scratch.text = p
	s.options.Scrolled.Append(p)
}

// AppendLines appends the lines of the screen to dst, those that
// [Options.Scrolled] has not got: where that has the start of the first one, the
// rest. A line ends in a newline, whatever number of rows it takes on the main
// screen; on the alternate screen each row is one. Blanks at the end of a line
// and blank lines at the end are left out. It is the Screen as it is now, not
// the last complete frame, so that no program can hide what it has printed.
func (s *Screen) AppendLines(dst []byte) []byte {
	main := s.buf == &s.main
	begun := s.given.open
	if begun && !(main && s.buf.seen(0).wrapped) {
		dst = append(dst, '\n')
		begun = false
	}
	end, line := len(dst), len(dst)
	for y := range s.rows {
		start := len(dst)
		dst = s.appendCells(dst, s.buf.seen(y))
		if main && y+1 < s.rows && s.buf.seen(y+1).wrapped {
			continue
		}
		dst = trimBlanks(dst, start)
		blank := len(dst) == line && !begun
		dst = append(dst, '\n')
		begun = false
		line = len(dst)
		if !blank {
			end = line
		}
	}
	return dst[:end]
}
