package vt

// EachCell calls f for each cell of row y, but for second places of wide ones.
func (s *Screen) EachCell(y int, f func(text []byte, st Style)) {
	r := s.seen(y)
	for x := range s.cols {
		if c := r.at(x); x == 0 || !r.at(x-1).isWide() {
			f(s.clusters.appendText(nil, c), s.styles.get(c.style()))
		}
	}
}

// MemorySize returns about how many bytes of memory s has.
func (s *Screen) MemorySize() int {
	n := 8*s.cells() + s.history.size + cap(s.scratch().text) + cap(s.scratch().styles)
	n += 16*(cap(s.styles.list)+cap(s.styles.packed)) + 4*cap(s.styles.free) + 4*cap(s.styles.index)
	n += (16+maxCluster+32)*cap(s.clusters.list) + 64*cap(s.links.list)
	for _, l := range s.links.list {
		n += len(l.id) + len(l.uri)
	}
	return n + cap(s.replies) + cap(s.parser.payload)
}

func (s *Screen) cells() int {
	n := 0
	for b := range s.buffers {
		n += 8 * cap(b.rows)
		for _, r := range b.rows {
			if r != nil {
				n += 6 + cap(r.cells)
			}
		}
	}
	if s.lastFrame != nil {
		n += cap(s.lastFrame.rows)
		for i := range s.lastFrame.copies {
			n += 6 + cap(s.lastFrame.copies[i].cells)
		}
	}
	return n
}

// HistorySize returns how many bytes of memory the history has.
func (s *Screen) HistorySize() int { return s.history.size }

// BadLead returns the first row of which more is said to be empty at the start
// than is, or -1.
func (s *Screen) BadLead() int {
	for b := range s.buffers {
		for y, r := range b.rows {
			if r == nil {
				continue
			}
			for _, c := range r.cells[:r.leading()] {
				if c != 0 {
					return y
				}
			}
		}
	}
	return -1
}
