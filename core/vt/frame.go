package vt

// A frame is what was on the screen when the program began to synchronize its
// output, which is what a person sees until it is done (DEC private mode 2026).
// It has the rows themselves, and a copy of each that has changed since then.
// So a program pays for what it draws in a frame, and not for the whole screen
// each time it begins one.
type frame struct {
	rows   []*row // those of the screen then; nil is blank
	blank  row
	copies []row // what some of rows were; the cells of others are memory
	copied int   // how many of copies count
	cursor Cursor
	alt    bool
	gen    uint64 // the first generation of the screen that is not in it
	moved  uint64 // Screen.moved when it began
}

// What row.copy says, but for the number of a copy, which counts from 1.
const (
	notShown = -1 // no frame has the row
	asShown  = 0  // it has not changed since the frame began
)

// synchronize is DEC private mode 2026.
func (s *Screen) synchronize(on bool) {
	if on == s.modes.Synchronized {
		return
	}
	if !on {
		s.thaw()
		return
	}
	s.modes.Synchronized = true
	f := s.lastFrame
	if f == nil || len(f.rows) != s.rows {
		f = &frame{rows: make([]*row, s.rows)}
	}
	f.cursor, f.alt, f.moved = s.liveCursor(), s.Alt(), s.moved
	s.gen++
	f.gen = s.gen
	f.blank = s.buf.blank
	f.copied = 0
	for y := range f.rows {
		r := s.buf.rows[s.buf.index(y)]
		f.rows[y] = r
		if r != nil {
			r.copy = asShown
		}
	}
	s.frame, s.lastFrame = f, f
}

// keep copies r, which is about to change, if f shows it.
func (f *frame) keep(r *row) {
	if r.copy != asShown {
		return
	}
	if f.copied == len(f.copies) {
		f.copies = append(f.copies, row{})
	}
	c := &f.copies[f.copied]
	c.cells = append(c.cells[:0], r.cells...)
	c.rest, c.lead, c.gen = r.rest, r.lead, r.gen
	f.copied++
	r.copy = int32(f.copied)
}

// seen returns row y of f.
func (f *frame) seen(y int) *row {
	r := f.rows[y]
	switch {
	case r == nil:
		return &f.blank
	case r.copy > asShown:
		return &f.copies[r.copy-1]
	}
	return r
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

// Frame tells the frame that the program is in the midst of from others. It is 0 if there is none.
func (s *Screen) Frame() uint64 {
	if s.frame == nil {
		return 0
	}
	return s.frame.gen
}

// EndSynchronized has the screen shown as it is, as if the frame was complete.
func (s *Screen) EndSynchronized() { s.thaw() }

// seen returns row y of what a person sees.
func (s *Screen) seen(y int) *row {
	if s.frame != nil {
		return s.frame.seen(y)
	}
	return s.buf.seen(y)
}

// seenGeneration is RowGeneration of what a person sees.
func (s *Screen) seenGeneration(y int) uint64 {
	if s.frame != nil {
		return max(s.frame.moved, s.frame.seen(y).gen)
	}
	return s.RowGeneration(y)
}

// wholeGeneration returns the last generation whose changes a person sees, all of them.
func (s *Screen) wholeGeneration() uint64 {
	if s.frame != nil {
		return s.frame.gen - 1
	}
	return s.gen
}
