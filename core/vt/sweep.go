package vt

// sweepStyles frees the styles and links that no cell has. It looks at every
// cell, so it is done only after as many new styles as make that worth it.
func (s *Screen) sweepStyles() {
	used := newSet(len(s.styles.list))
	cells := s.eachCell(func(c cell) { used.add(c.style()) })
	s.penKnown, s.eraseKnown = false, false
	s.styles.sweep(used, cells/4)
	s.links.sweep(s.styles.list, s.pen)
}

// sweepClusters frees the clusters that no cell has.
func (s *Screen) sweepClusters() {
	used := newSet(len(s.clusters.list))
	cells := s.eachCell(func(c cell) {
		if c&clustered != 0 {
			used.add(uint32(c.rune()))
		}
	})
	s.clusters.sweep(used, cells/4)
}

// eachCell calls f for each cell there is, and returns how many.
func (s *Screen) eachCell(f func(cell)) int {
	cells := 0
	visit := func(r *row) {
		f(r.rest)
		cells += 1 + len(r.cells)
		for _, c := range r.cells {
			f(c)
		}
	}
	for b := range s.buffers {
		visit(&b.blank)
		for _, r := range b.rows {
			if r != nil {
				visit(r)
			}
		}
	}
	if s.frame != nil {
		for y := range s.frame.rows {
			visit(s.frame.seen(y)) // once more, if it has not changed
		}
	}
	return cells
}

// buffers calls f for the main screen and, if it was ever shown, the alternate
// one.
func (s *Screen) buffers(f func(*buffer) bool) {
	if f(&s.main) && s.alt != nil {
		f(s.alt)
	}
}
