package vt

// eraseRow makes cells of row y blank, from column start to before end.
func (s *Screen) eraseRow(y, start, end int, selective bool) {
	r := s.row(y)
	if selective {
		r.replaceSelective(start, end, s.blank(), s.cols, s.isProtected)
		return
	}
	r.replace(start, end, s.blank(), s.cols)
}

// resetRow makes row y blank, and no continuation of the row above.
func (s *Screen) resetRow(y int, selective bool) {
	r := s.row(y)
	r.wrapped = false
	if selective {
		r.replaceSelective(0, s.cols, s.blank(), s.cols, s.isProtected)
		return
	}
	r.fill(s.blank())
}

func (s *Screen) isProtected(c cell) bool {
	return s.styles.get(c.style()).Attr&protected != 0
}

// eraseDisplay is ED, and DECSED if selective.
func (s *Screen) eraseDisplay(what int, selective bool) {
	s.restrict(s.cols)
	switch what {
	case 0:
		s.eraseRow(s.y, s.x, s.cols, selective)
		if s.x == 0 {
			s.buf.row(s.y).wrapped = false
		}
		for y := s.y + 1; y < s.rows; y++ {
			s.resetRow(y, selective)
		}
	case 1:
		for y := range s.y {
			s.resetRow(y, selective)
		}
		s.eraseRow(s.y, 0, s.x+1, selective)
		s.buf.row(s.y).wrapped = false
		if s.x+1 >= s.cols && s.y+1 < s.rows {
			s.buf.row(s.y + 1).wrapped = false
		}
	case 2:
		for y := range s.rows {
			s.resetRow(y, selective)
		}
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
	switch what {
	case 0:
		s.eraseRow(s.y, s.x, s.cols, selective)
		if s.x == 0 {
			s.buf.row(s.y).wrapped = false
		}
	case 1:
		s.eraseRow(s.y, 0, s.x+1, selective)
	case 2:
		s.eraseRow(s.y, 0, s.cols, selective)
		s.buf.row(s.y).wrapped = false
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
	if !s.inRegion() {
		return
	}
	for y := s.buf.top; y <= s.buf.bottom; y++ {
		r := s.row(y)
		f(r)
		r.wrapped = false
	}
}

// align is DECALN: the screen full of E.
func (s *Screen) align() {
	s.moveTo(0, 0)
	s.findPen()
	for y := s.y; y < s.rows; y++ {
		r := s.row(y)
		r.fill(s.penCell | 'E')
		r.wrapped = false
	}
	s.moveTo(0, 0)
}
