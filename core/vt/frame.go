package vt

// A frame is what was on the screen when the program began to synchronize its
// output, which is what a person sees until it is done (DEC private mode 2026).
type frame struct {
	rows   []row
	cursor Cursor
	alt    bool
}

// synchronize is DEC private mode 2026.
func (s *Screen) synchronize(on bool) {
	if on == s.modes.Synchronized {
		return
	}
	s.modes.Synchronized = on
	if !on {
		s.thaw()
		return
	}
	f := &frame{rows: make([]row, s.rows), cursor: s.liveCursor(), alt: s.Alt()}
	used := 0
	for y := range s.rows {
		used += len(s.buf.seen(y).cells)
	}
	cells := make([]cell, 0, used)
	for y := range f.rows {
		r := s.buf.seen(y)
		start := len(cells)
		cells = append(cells, r.cells...)
		f.rows[y] = row{cells: cells[start:len(cells):len(cells)], rest: r.rest, wrapped: r.wrapped}
	}
	s.frame = f
}

// thaw shows the screen as it is.
func (s *Screen) thaw() {
	s.frame = nil
	s.modes.Synchronized = false
}

// Synchronized reports whether the program is in the midst of a frame. What
// shows the screen, to the Cursor and Alt methods, shows the last complete one
// until then. A program may never finish: the owner must call
// [Screen.EndSynchronized] when that has taken too long. xterm.js waits for a
// second.
func (s *Screen) Synchronized() bool { return s.frame != nil }

// EndSynchronized has the screen shown as it is, as if the frame was complete.
func (s *Screen) EndSynchronized() { s.thaw() }

// seen returns row y of what a person sees.
func (s *Screen) seen(y int) *row {
	if s.frame != nil {
		return &s.frame.rows[y]
	}
	return s.buf.seen(y)
}
