package vt

// repeat is REP: the character before the cursor n times more, but no more than
// fill the screen, nor than are paid for.
func (s *Screen) repeat(n int) {
	x := s.x - s.lastWidth
	if s.lastWidth == 0 || x < 0 {
		return
	}
	c := s.buf.seen(s.y).at(x)
	if !c.hasContent() {
		return
	}
	n = min(n, max(s.rows*s.cols, 256))
	s.findPen()
	s.cutWide(s.row(s.y))
	cost := 1 // of a character, in plain cells
	switch {
	case c&clustered != 0:
		cost = 2 * len(s.clusters.list[c.rune()])
	case c.rune() > 0xFFFF: // packed one by one when it leaves the screen
		cost = 8
	case c.isWide():
		cost = 4
	}
	if c&odd == 0 && s.charsets.active == 0 && !s.modes.Insert && (c&clustered == 0 || s.modes.Autowrap) {
		n = min(n, s.left()/cost)
		s.spend(n * cost)
		s.printCells(n, c&(contentMask|wide))
		return
	}
	s.printAgain(n, c)
}

// printAgain prints what c holds n times, as if it was written. That takes its
// time for each byte.
func (s *Screen) printAgain(n int, c cell) {
	const cellsInTime = 24 // that a byte counts as
	var buf [maxCluster + maxCluster]byte
	text := s.clusters.appendText(buf[:0], c)
	n = min(n, s.left()/(cellsInTime*len(text)))
	s.spend(n * cellsInTime * len(text))
	for range n {
		s.print(text)
	}
}

// printCells prints n cells with a content, which may be wide.
func (s *Screen) printCells(n int, content cell) {
	width := content.width()
	r := s.row(s.y)
	for n > 0 {
		if s.x+width > s.cols {
			if s.modes.Autowrap {
				r = s.wrap(r)
			} else {
				s.x = s.cols - 1
				if width == 2 {
					return // it does not fit
				}
				n = 1 // each overwrites the one before
			}
		}
		k := min(n, (s.cols-s.x)/width)
		cells := r.room(s.x, k*width, s.cols)
		if width == 1 {
			for i := range cells {
				cells[i] = s.penCell | content
			}
		} else {
			for i := 0; i+1 < len(cells); i += 2 {
				cells[i], cells[i+1] = s.penCell|content, s.penCell|spacer
			}
		}
		s.x += len(cells)
		n -= k
	}
	if s.x < len(r.cells) && r.cells[s.x].isRest() {
		r.cells[s.x] = s.penCell // its first half was overwritten
	}
	s.lastWidth = width
}
