package vt

// Write gives the Screen output: valid UTF-8, whole characters. Where it is cut
// into chunks makes no difference. p is not kept.
func (s *Screen) Write(p []byte) {
	if len(p) == 0 {
		return
	}
	s.gen++
	for len(p) > 0 {
		n := s.usual(p)
		if n == 0 {
			n = s.parser.step(handler{s}, p)
		}
		s.budget.taken += uint64(n)
		p = p[n:]
	}
}

// usual does the text, CR, LF and SGR that p starts with, which is most of what
// there is, without going through the Parser. It returns how much that was.
func (s *Screen) usual(p []byte) int {
	if !s.parser.Ground() {
		return 0
	}
	n := 0
	for n < len(p) {
		switch c := p[n]; {
		case c == '\n':
			s.lineFeed()
			s.lastWidth = 0
			n++
		case c == '\r':
			s.x = 0
			s.lastWidth = 0
			n++
		case c == esc:
			size := s.style(p[n:])
			if size == 0 {
				return n
			}
			n += size
		case c < ' ':
			return n
		default:
			size := s.printPart(p[n:])
			if size == 0 {
				if size = TextLen(p[n:]); size == 0 {
					return n
				}
				s.print(p[n : n+size])
			}
			n += size
		}
	}
	return n
}

// style does the SGR that p starts with, if it is whole and has nothing but
// digits and semicolons. It returns its length, else 0.
func (s *Screen) style(p []byte) int {
	if len(p) < 3 || p[1] != '[' {
		return 0
	}
	params := &s.parser.params // not in use between sequences
	params.sub = 0
	n, v := 0, int32(0)
	for i := 2; i < len(p); i++ {
		c := p[i]
		if c-'0' <= 9 {
			v = min(v*10+int32(c-'0'), MaxParam)
			continue
		}
		if c != ';' && c != 'm' || n == MaxParams {
			return 0
		}
		params.values[n] = v
		n++
		v = 0
		if c == 'm' {
			params.n = n
			s.setGraphics(params)
			s.lastWidth = 0
			return i + 1
		}
	}
	return 0
}

// printPart prints the ASCII that p starts with, as far as that is simple: in
// the cells that the row of the cursor has memory for. It returns how much that
// was.
func (s *Screen) printPart(p []byte) int {
	if p[0]-' ' >= del-' ' || s.charsets.active != 0 || s.modes.Insert {
		return 0
	}
	r := s.buf.rows[s.buf.index(s.y)]
	if r == nil || !s.buf.touched(s.y) {
		return 0
	}
	s.findPen()
	x := s.x
	end := min(s.cols, cap(r.cells), x+len(p))
	if x >= end || x > len(r.cells) {
		return 0
	}
	s.change(r)
	r.written(x)
	if s.lastWidth == 0 && x > 0 && r.cells[x-1].isWide() {
		s.cutWide(r)
	}
	pen := s.penCell
	cells := r.cells[x:end:end]
	p = p[:len(cells)]
	i := 0
	for ; i+8 <= len(p); i += 8 {
		w := word(p[i:])
		if (w|(w-' '*ones)|(w+ones))&highs != 0 {
			break // a control, DEL, or not ASCII
		}
		eight := cells[i : i+8 : i+8]
		eight[0] = pen | cell(w&0xFF)
		eight[1] = pen | cell(w>>8&0xFF)
		eight[2] = pen | cell(w>>16&0xFF)
		eight[3] = pen | cell(w>>24&0xFF)
		eight[4] = pen | cell(w>>32&0xFF)
		eight[5] = pen | cell(w>>40&0xFF)
		eight[6] = pen | cell(w>>48&0xFF)
		eight[7] = pen | cell(w>>56)
	}
	for ; i < len(p) && p[i]-' ' < del-' '; i++ {
		cells[i] = pen | cell(p[i])
	}
	s.lastWidth = 1
	s.x = x + i
	if s.x > len(r.cells) {
		r.cells = r.cells[:s.x]
	} else if s.x < len(r.cells) && r.cells[s.x].isRest() {
		r.cells[s.x] = pen // its first half was overwritten
	}
	return i
}
