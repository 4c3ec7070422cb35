package diff

// A text is changed in groups of lines. Where the line in front of a group is equal to the last one
// of it, the group may as well stand one line higher: what follows chooses, as xdiff/xdiffi.c does.

// A side is one of two texts that are compared.
type side struct {
	ids     []int // equal lines have the same number
	changed []bool
	lines   [][]byte // nil if looks do not count
}

func (s *side) is(i int) bool { return i >= 0 && i < len(s.changed) && s.changed[i] }

// A group is a place between two lines that are not changed, with the changed lines there, if any.
type group struct {
	*side
	start, end int
}

func (s *side) first() *group {
	g := &group{side: s}
	for g.is(g.end) {
		g.end++
	}
	return g
}

// next goes to the group behind the next line that is not changed. It reports whether there is one.
func (g *group) next() bool {
	if g.end == len(g.changed) {
		return false
	}
	g.start = g.end + 1
	for g.end = g.start; g.is(g.end); g.end++ {
	}
	return true
}

func (g *group) previous() bool {
	if g.start == 0 {
		return false
	}
	g.end = g.start - 1
	for g.start = g.end; g.is(g.start - 1); g.start-- {
	}
	return true
}

// down moves the group one line down, and joins it with what it meets there.
func (g *group) down() bool {
	if g.end >= len(g.ids) || g.ids[g.start] != g.ids[g.end] {
		return false
	}
	g.changed[g.start], g.changed[g.end] = false, true
	g.start, g.end = g.start+1, g.end+1
	for g.is(g.end) {
		g.end++
	}
	return true
}

func (g *group) up() bool {
	if g.start == 0 || g.ids[g.start-1] != g.ids[g.end-1] {
		return false
	}
	g.start, g.end = g.start-1, g.end-1
	g.changed[g.start], g.changed[g.end] = true, false
	for g.is(g.start - 1) {
		g.start--
	}
	return true
}

// slide moves each group as far down as it can go, or to the last place where the other text has a
// change too, or to where it looks best.
func slide(s, other *side) {
	g, o := s.first(), other.first()
	for {
		if g.end > g.start {
			g.settle(o)
		}
		if !g.next() {
			return
		}
		o.next()
	}
}

// settle finds the group's place; o is the group of the other text at the same place.
func (g *group) settle(o *group) {
	var earliest, match, size int
	for {
		size = g.end - g.start
		match = -1
		for g.up() {
			o.previous()
		}
		earliest = g.end
		if o.end > o.start {
			match = g.end
		}
		for g.down() {
			o.next()
			if o.end > o.start {
				match = g.end
			}
		}
		if size == g.end-g.start {
			break
		}
	}
	switch {
	case g.end == earliest:
	case match != -1:
		for o.end == o.start && g.up() {
			o.previous()
		}
	case g.lines != nil:
		best := g.best(earliest, size)
		for g.end > best && g.up() {
			o.previous()
		}
	}
}

// maxSliding bounds how many places of a group are looked at.
const maxSliding = 100

// best returns where the group should end to look best.
func (g *group) best(earliest, size int) int {
	best, at := score{}, -1
	for end := max(earliest, g.end-size-1, g.end-maxSliding); end <= g.end; end++ {
		var s score
		s.add(g.measure(end))
		s.add(g.measure(end - size))
		if at == -1 || s.compare(best) <= 0 {
			best, at = s, end
		}
	}
	return at
}

// A split is a place between two lines: how far those around it are indented, -1 for none, and how
// many blank lines there are.
type split struct {
	end                     bool // of the text
	indent, before, after   int
	blankBefore, blankAfter int
}

const (
	maxIndent = 200
	maxBlanks = 20
)

func (g *group) measure(at int) split {
	s := split{end: at >= len(g.lines), indent: -1, before: -1, after: -1}
	if !s.end {
		s.indent = indent(g.lines[at])
	}
	for i := at - 1; i >= 0; i-- {
		if s.before = indent(g.lines[i]); s.before != -1 {
			break
		}
		if s.blankBefore++; s.blankBefore == maxBlanks {
			s.before = 0
			break
		}
	}
	for i := at + 1; i < len(g.lines); i++ {
		if s.after = indent(g.lines[i]); s.after != -1 {
			break
		}
		if s.blankAfter++; s.blankAfter == maxBlanks {
			s.after = 0
			break
		}
	}
	return s
}

// indent is how far a line is indented; -1 if it is blank.
func indent(line []byte) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		case '\n', '\r', '\v', '\f':
		default:
			return n
		}
		if n >= maxIndent {
			return maxIndent
		}
	}
	return -1
}

// A score is low where a group looks good. The weights are those of xdiffi.c, which were found by
// trying.
type score struct{ indent, penalty int }

func (s *score) add(m split) {
	if m.before == -1 && m.blankBefore == 0 {
		s.penalty++
	}
	if m.end {
		s.penalty += 21
	}
	after := 0
	if m.indent == -1 {
		after = 1 + m.blankAfter
	}
	blanks := m.blankBefore + after
	s.penalty += -30*blanks + 6*after
	in := m.indent
	if in == -1 {
		in = m.after
	}
	s.indent += in
	pick := func(without, with int) {
		if blanks > 0 {
			s.penalty += with
			return
		}
		s.penalty += without
	}
	switch {
	case in == -1 || m.before == -1 || in == m.before:
	case in > m.before:
		pick(-4, 10)
	case m.after != -1 && m.after > in:
		pick(24, 17)
	default:
		pick(23, 17)
	}
}

func (s score) compare(t score) int {
	const indentWeight = 60
	order := 0
	if s.indent > t.indent {
		order = 1
	} else if s.indent < t.indent {
		order = -1
	}
	return indentWeight*order + s.penalty - t.penalty
}
