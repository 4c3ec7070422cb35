package vt

// selective reports whether an erasure of n cells has to look at each, and
// whether that is paid for. Where nothing was ever protected it need not.
func (s *Screen) selective(n int) (look, paid bool) {
	if !s.protects {
		return false, true
	}
	return true, s.afford(n)
}

// eraseRow makes cells of row y blank, from column start to before end.
func (s *Screen) eraseRow(y, start, end int, selective bool) {
	r := s.row(y)
	if selective {
		r.replaceSelective(start, end, s.blank(), s.cols, s.isProtected)
		return
	}
	r.replace(start, end, s.blank(), s.cols)
}

// eraseRows makes the rows from first on to before end blank, and none of them a
// continuation of the row above.
func (s *Screen) eraseRows(first, end int, selective bool) {
	if !selective {
		s.clearRows(first, end, s.blank())
		return
	}
	for y := first; y < end; y++ {
		s.eraseRow(y, 0, s.cols, true)
		s.buf.unwrap(y)
	}
}

func (s *Screen) isProtected(c cell) bool {
	return s.styles.get(c.style()).Attr&protected != 0
}

// clearRows is eraseRows for all cells, in any blank.
func (s *Screen) clearRows(first, end int, blank cell) {
	b := s.buf
	if first == 0 && end == s.rows && blank != b.blank.rest {
		b.touch(0, end)
		b.blank.rest, b.blank.gen = blank, s.gen
	}
	if blank != b.blank.rest {
		b.touch(first, end)
	}
	for y := max(first, b.from); y < min(end, b.to); y++ {
		r := b.rows[b.index(y)]
		if r == nil {
			if blank == b.blank.rest {
				continue
			}
			r = b.row(y)
		}
		s.change(r)
		r.fill(blank)
		r.wrapped = false
	}
	if blank == b.blank.rest {
		b.clean(first, end)
	}
}

// clearScreen makes all rows blank. Those of a buffer that was not shown at this size, or never,
// are new.
func (s *Screen) clearScreen(blank cell) {
	if len(s.buf.rows) != s.rows {
		s.buf.allocate(s.rows, blank)
		return
	}
	s.clearRows(0, s.rows, blank)
}

// eraseDisplay is ED, and DECSED if selective.
func (s *Screen) eraseDisplay(what int, selective bool) {
	s.restrict(s.cols)
	if selective {
		var paid bool
		if selective, paid = s.selective(s.rows * s.cols); !paid {
			return
		}
	}
	switch what {
	case 0:
		first := s.y
		if s.x > 0 {
			s.eraseRow(s.y, s.x, s.cols, selective)
			first++
		}
		s.eraseRows(first, s.rows, selective)
	case 1:
		s.eraseRows(0, s.y, selective)
		s.eraseRow(s.y, 0, s.x+1, selective)
		s.buf.unwrap(s.y)
		if s.x+1 >= s.cols && s.y+1 < s.rows {
			s.buf.unwrap(s.y + 1)
		}
	case 2:
		s.eraseRows(0, s.rows, selective)
	case 3:
		if s.buf == &s.main {
			s.history.clear()
			s.main.base = 0
		}
	}
}

// eraseLine is EL, and DECSEL if selective.
func (s *Screen) eraseLine(what int, selective bool) {
	s.restrict(s.cols)
	if selective {
		var paid bool
		if selective, paid = s.selective(s.cols); !paid {
			return
		}
	}
	switch what {
	case 0:
		s.eraseRow(s.y, s.x, s.cols, selective)
		if s.x == 0 {
			s.buf.unwrap(s.y)
		}
	case 1:
		s.eraseRow(s.y, 0, s.x+1, selective)
	case 2:
		s.eraseRow(s.y, 0, s.cols, selective)
		s.buf.unwrap(s.y)
	}
}

// insertLines is IL, or DL if n is negative.
func (s *Screen) insertLines(n int) {
	s.restrict(s.cols - 1)
	if !s.inRegion() {
		return
	}
	s.shift(s.y, s.buf.bottom, -n, s.blank())
	s.x = 0
}

// eachRegionRow calls f for the rows of the scroll region, if the cursor is in
// it, and cuts each off from the row above.
func (s *Screen) eachRegionRow(f func(*row)) {
	b := s.buf
	if !s.inRegion() || !s.afford((b.bottom+1-b.top)*s.cols) {
		return
	}
	for y := b.top; y <= b.bottom; y++ {
		r := s.row(y)
		f(r)
		r.wrapped = false
	}
}

// align is DECALN: the screen full of E.
func (s *Screen) align() {
	s.moveTo(0, 0)
	if !s.afford(2 * s.rows * s.cols) { // they may scroll out as well
		return
	}
	s.findPen()
	for y := s.y; y < s.rows; y++ {
		r := s.row(y)
		r.fill(s.penCell | 'E')
		r.wrapped = false
	}
	s.moveTo(0, 0)
}
