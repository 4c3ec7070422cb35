package vt

import "unicode/utf8"

// print puts text on the screen.
func (s *Screen) print(p []byte) {
	s.findPen()
	r := s.row(s.y)
	if s.lastWidth == 0 {
		s.cutWide(r)
	}
	for len(p) > 0 {
		if n := s.printSimple(r, p); n > 0 {
			p = p[n:]
			continue
		}
		if p[0] >= utf8.RuneSelf {
			c, n := decodeRune(p)
			p = p[n:]
			r = s.printRune(r, c)
			continue
		}
		n := asciiLen(p)
		if s.charsets.active == 0 {
			r = s.printASCII(r, p[:n])
		} else {
			for _, c := range p[:n] {
				r = s.printRune(r, s.charsets.active.rune(c))
			}
		}
		p = p[n:]
	}
	if s.x < len(r.cells) && r.cells[s.x].isRest() {
		r.cells[s.x] = s.penCell // its first half was overwritten
	}
}

// cutWide makes the wide cell of row r blank that the cursor was put inside of.
func (s *Screen) cutWide(r *row) {
	if s.x > 0 && r.at(s.x-1).isWide() {
		r.set(s.x-1, s.penCell, s.cols)
	}
}

// decodeRune is utf8.DecodeRune for what is not ASCII, and faster with what is
// valid and usual.
func decodeRune(p []byte) (r rune, size int) {
	const cont = 0x80 // the first two bits of each byte but the first
	switch c := p[0]; {
	case c >= 0xE0 && c < 0xF0 && len(p) >= 3 && p[1]&0xC0 == cont && p[2]&0xC0 == cont:
		if r := rune(c&0x0F)<<12 | rune(p[1]&0x3F)<<6 | rune(p[2]&0x3F); r >= 0x800 && r&^0x7FF != 0xD800 {
			return r, 3
		}
	case c >= 0xC2 && c < 0xE0 && len(p) >= 2 && p[1]&0xC0 == cont:
		return rune(c&0x1F)<<6 | rune(p[1]&0x3F), 2
	}
	return utf8.DecodeRune(p)
}

// asciiLen returns the length of the ASCII at the start of p.
func asciiLen(p []byte) int {
	i := 0
	for i+8 <= len(p) && word(p[i:])&highs == 0 {
		i += 8
	}
	for i < len(p) && p[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// printASCII puts ASCII on row r, which the cursor is in, and those below. It
// returns the row that the cursor is in then.
func (s *Screen) printASCII(r *row, p []byte) *row {
	s.lastWidth = 1
	for len(p) > 0 {
		if s.x >= s.cols {
			if s.modes.Autowrap {
				r = s.wrap(r)
			} else {
				s.x = s.cols - 1
				p = p[len(p)-1:] // each overwrites the one before
			}
		}
		n := min(len(p), s.cols-s.x)
		if s.modes.Insert {
			r.insert(s.x, n, s.penCell, s.cols)
		}
		pen := s.penCell
		cells := r.room(s.x, n, s.cols)
		for i, c := range p[:len(cells)] {
			cells[i] = pen | cell(c)
		}
		s.x += n
		p = p[n:]
	}
	return r
}

// printSimple prints the start of p as far as that is simple: characters of a
// width of their own, in the cells that row r of the cursor has memory for. It
// returns how much that was.
func (s *Screen) printSimple(r *row, p []byte) int {
	x := s.x
	cells := r.cells[:min(cap(r.cells), s.cols)]
	if x > len(r.cells) || s.modes.Insert {
		return 0
	}
	ascii := s.charsets.active == 0
	r.written(x)
	pen := s.penCell
	n, w := 0, 0
	for n < len(p) {
		var c rune
		size, width := 1, 1
		switch b := p[n]; {
		case b < utf8.RuneSelf && ascii:
			c = rune(b)
		case b < utf8.RuneSelf:
			size = 0
		default:
			c, size = decodeRune(p[n:])
			width = RuneWidth(c)
		}
		if size == 0 || width == 0 || x+width > len(cells) {
			break
		}
		cells[x] = pen | cell(c)
		if width == 2 {
			cells[x] |= wide
			cells[x+1] = pen | spacer
		}
		x += width
		n += size
		w = width
	}
	if n == 0 {
		return 0
	}
	s.x = x
	s.lastWidth = w
	if x > len(r.cells) {
		r.cells = r.cells[:x]
	}
	return n
}

// printRune puts one character on row r, or joins it to the one before. It
// returns the row that the cursor is in then.
func (s *Screen) printRune(r *row, c rune) *row {
	w := RuneWidth(c)
	if w == 0 && s.lastWidth > 0 {
		s.join(r, c)
		return r
	}
	s.lastWidth = w
	if s.x+w > s.cols {
		if s.modes.Autowrap {
			r = s.wrap(r)
		} else {
			s.x = s.cols - 1
			if w == 2 {
				return r // it does not fit
			}
		}
	}
	if s.modes.Insert && s.x < s.cols {
		r.insert(s.x, w, s.penCell, s.cols)
	}
	switch w {
	case 0:
		// It has nothing to join, so it gets a place of its own. Beyond the
		// last column it is lost.
		if s.x < s.cols {
			r.set(s.x, s.penCell|spacer|odd|cell(c), s.cols)
		}
		s.x = min(s.x+1, s.cols+1)
	case 1:
		r.set(s.x, s.penCell|cell(c), s.cols)
		s.x++
	case 2:
		pair := r.room(s.x, 2, s.cols)
		pair[0] = s.penCell | wide | cell(c)
		pair[1] = s.penCell | spacer
		s.x += 2
	}
	return r
}

// join adds c to the character before the cursor, in row r.
func (s *Screen) join(r *row, c rune) {
	x := s.x - 1
	if x >= 0 && r.at(x).width() == 0 {
		x--
	}
	if x < 0 {
		return
	}
	if s.clusters.full() {
		s.sweepClusters()
	}
	old := r.at(x)
	joined := s.clusters.join(old, c) &^ widthMask
	if s.lastWidth == 2 {
		joined |= wide // as the character before is, even if it did not fit
	}
	if !old.hasContent() || joined&widthMask != old&widthMask {
		joined |= odd
	}
	r.set(x, joined, s.cols)
}

// wrap goes from row r to the start of the next, which continues it, and
// returns that. What is left of r is for a wide character that did not fit.
func (s *Screen) wrap(r *row) *row {
	for x := s.x; x < s.cols; x++ {
		r.set(x, s.penCell, s.cols)
	}
	s.x = 0
	if s.y == s.buf.bottom {
		s.scroll(true)
		return s.buf.row(s.y)
	}
	s.y = min(s.y+1, s.rows-1)
	r = s.row(s.y)
	r.wrapped = true
	return r
}
