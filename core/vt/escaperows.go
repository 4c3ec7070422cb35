package vt

// history writes the n newest rows of the history, and scrolls them out of the
// screen.
func (e *escaper) history(n int) {
	h := &e.s.history
	end := h.first + uint64(h.count)
	// The styles and clusters of the history are not those of the screen.
	scratch := &Screen{rows: e.s.rows, cols: e.s.cols}
	past := &escaper{s: scratch, dst: e.dst}
	var r row
	full, begun := false, false
	h.each(end-uint64(n), end, func(packed []byte, flags int) {
		if scratch.styles.full() || scratch.clusters.full() {
			scratch.styles, scratch.clusters = styles{}, clusters{}
		}
		scratch.unpackRow(&r, packed, flags)
		r.truncate(scratch.cols)
		if begun && !(full && flags&rowWrapped != 0) {
			past.setStyle(Style{})
			past.string("\r\n")
		}
		past.row(&r)
		begun = true
		full = len(r.cells) == scratch.cols && printable(&r, scratch.cols-1, scratch.cols)
	})
	if begun {
		past.setStyle(Style{})
		for range scratch.rows {
			past.string("\r\n")
		}
	}
	e.dst = past.dst
}

// buffer writes the rows of b and what else b has.
func (e *escaper) buffer(b *buffer) {
	s := e.s
	// Only wrapping makes a row a continuation, and only ECH leaves it one.
	e.setStyle(Style{})
	for y := 1; y < s.rows; y++ {
		if b.seen(y).wrapped {
			e.moveTo(s.cols-1, y-1)
			e.string("  ")
		}
	}
	for y := range s.rows {
		r := b.seen(y)
		clear := r.wrapped || y+1 < s.rows && b.seen(y+1).wrapped
		if len(r.cells) == 0 && r.rest == 0 && !clear {
			continue
		}
		e.moveTo(0, y)
		if clear {
			e.setStyle(Style{})
			e.csi(s.cols, "X")
		}
		e.row(r)
	}
	if b.tabs != nil {
		e.string("\x1b[3g")
		for x := range s.cols {
			if b.hasTab(x) {
				e.moveTo(x, 0)
				e.string("\x1bH")
			}
		}
	}
	if b.saved != (savedCursor{}) {
		e.saved(b)
	}
	if !b.whole() {
		e.csiPair(b.top+1, b.bottom+1, "r")
	}
}

// saved writes DECSC with what b has saved.
func (e *escaper) saved(b *buffer) {
	saved := &b.saved
	e.moveTo(saved.x, max(saved.y-b.base, 0))
	st := saved.style
	st.link = 0 // it is not restored
	e.setStyle(st)
	if saved.charset != 0 {
		e.dst = append(e.dst, esc, '(', byte(saved.charset))
	}
	e.string("\x1b7")
	if saved.charset != 0 {
		e.string("\x1b(B")
	}
}

// row writes r from the first column on.
func (e *escaper) row(r *row) {
	s, cols := e.s, e.s.cols
	end := cols
	if r.rest == 0 {
		end = min(len(r.cells), cols)
	}
	gap := 0 // empty cells before x that the cursor has not gone over yet
	for x := 0; x < end; {
		c := r.at(x)
		if !printable(r, x, cols) {
			n := 1
			for x+n < end && r.at(x+n).style() == c.style() && !printable(r, x+n, cols) {
				n++
			}
			if c.style() != 0 {
				e.skip(gap)
				gap = 0
				e.setStyle(s.styles.get(c.style()))
				e.csi(n, "X")
			}
			gap += n
			x += n
			continue
		}
		e.skip(gap)
		gap = 0
		e.setStyle(s.styles.get(c.style()))
		if c.width() == 0 {
			e.csi(x+1, "G") // or it would join what is before it
		}
		e.dst = s.clusters.appendText(e.dst, c)
		x += max(c.width(), 1)
	}
}

// skip writes CUF.
func (e *escaper) skip(n int) {
	if n > 0 {
		e.csi(n, "C")
	}
}

// printable reports whether the cell in column x can be printed: it has
// content, and if it is wide the place for it.
func printable(r *row, x, cols int) bool {
	c := r.at(x)
	if !c.hasContent() {
		return false
	}
	return !c.isWide() || x+1 < cols && r.at(x+1).isRest()
}
