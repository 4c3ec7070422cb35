package vt

// scroll moves the rows of the scroll region up by one. If the region begins at
// the top of the main screen, the row that leaves goes into the history. The
// row that comes in continues the one above if wrapped is set.
func (s *Screen) scroll(wrapped bool) {
	b := s.buf
	blank := s.blank()
	first := b.rows[b.index(b.top)]
	if first == nil {
		first = b.row(b.top)
	}
	s.change(first)
	switch {
	case b.top != 0 || b != &s.main || !s.scrolls():
	case s.options.Scrolled == nil:
		if !s.history.pushPlain(first) {
			s.history.push(s, first)
		}
		b.base++
	default:
		s.handOn(first, b.bottom > 0 && b.seen(1).wrapped || b.bottom == 0 && wrapped)
		b.base++
	}
	if b.whole() {
		b.zero++
		if b.zero == len(b.rows) {
			b.zero = 0
		}
		if b.from > 0 {
			b.from--
		}
		b.to = len(b.rows)
	} else {
		b.rotate(b.top, b.bottom, 1)
		b.touch(b.top, b.bottom+1)
	}
	first.fill(blank)
	first.wrapped = wrapped
	s.moved = s.gen
}

// shift moves the rows from top to bottom up by n, or down if n is negative, and
// makes those that come in blank. None goes into the history.
func (s *Screen) shift(top, bottom, n int, blank cell) {
	height := bottom - top + 1
	n = max(min(n, height), -height)
	if n == 0 || height <= 0 {
		return
	}
	s.moved = s.gen
	b := s.buf
	if blank == b.blank.rest && (bottom < b.from || top >= b.to) {
		return // one blank row is like the other
	}
	b.rotate(top, bottom, n)
	b.touch(top, bottom+1)
	first := top
	if n > 0 {
		first = bottom - n + 1
	}
	s.clearRows(first, first+max(n, -n), blank)
}

// inRegion reports whether the cursor's row is in the scroll region.
func (s *Screen) inRegion() bool { return s.y >= s.buf.top && s.y <= s.buf.bottom }

// index is IND: down one row, scrolling at the end of the region.
func (s *Screen) index() {
	s.restrict(s.cols - 1)
	if s.y == s.buf.bottom {
		s.scroll(false)
	} else {
		s.y = min(s.y+1, s.rows-1)
	}
	s.restrict(s.cols - 1)
}

// reverseIndex is RI: up one row, scrolling at the top of the region.
func (s *Screen) reverseIndex() {
	s.restrict(s.cols - 1)
	if s.y == s.buf.top {
		s.shift(s.buf.top, s.buf.bottom, -1, s.blank())
		return
	}
	s.y--
	s.restrict(s.cols - 1)
}

// lineFeed is LF, VT and FF.
func (s *Screen) lineFeed() {
	if s.modes.Newline || s.options.Newline {
		s.x = 0
	}
	switch {
	case s.y == s.buf.bottom:
		s.scroll(false)
	case s.y < s.rows-1:
		s.y++
		s.buf.unwrap(s.y)
	}
	if s.x >= s.cols {
		s.x--
	}
}
