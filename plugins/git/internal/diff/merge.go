package diff

import (
	"bytes"
	"slices"
)

// A Merging says how a three-way merge is written. The zero value writes conflicts between markers
// of seven characters, without the base.
type Merging struct {
	Ours, Base, Theirs string // what the markers of a conflict call the sides
	// whose lines are taken where both changed the same; Both for a conflict
	Favor    Side
	WithBase bool // whether conflicts show the base too: merge.conflictStyle=diff3
}

// A Side of a merge.
type Side int

// The sides.
const (
	Both Side = iota
	Ours
	Theirs
	Union // the lines of both, ours first
)

// A chunk is a place where at least one side changed the base: xmerge.c calls it xdmerge_t. Places
// and counts are of lines, in the order base, ours, theirs.
type chunk struct {
	side      Side // who changed it; Both if that is a conflict
	same      bool // whether both made the same of it
	at, count [3]int
}

// Merge joins what two sides made of base, as git does with its defaults (xdiff/xmerge.c), and
// returns how many conflicts there are.
func Merge(base, ours, theirs []byte, how Merging) (merged []byte, conflicts int) {
	m := &merger{base: Lines(base), ours: Lines(ours), theirs: Lines(theirs), how: how}
	m.join(compare(m.base, m.ours, false), compare(m.base, m.theirs, false))
	if !how.WithBase {
		m.refine()
		m.unite()
	}
	return m.write()
}

type merger struct {
	base, ours, theirs [][]byte
	how                Merging
	chunks             []chunk
}

// join goes through the edits of both sides at once.
func (m *merger) join(x, y []Edit) {
	for len(x) > 0 && len(y) > 0 {
		a, b := x[0], y[0]
		switch {
		case a.A1 < b.A0:
			m.one(Ours, a, b.B0-b.A0)
			x = x[1:]
			continue
		case b.A1 < a.A0:
			m.one(Theirs, b, a.B0-a.A0)
			y = y[1:]
			continue
		}
		if a.A0 != b.A0 || a.A1 != b.A1 || !slices.EqualFunc(m.ours[a.B0:a.B1], m.theirs[b.B0:b.B1], bytes.Equal) {
			start, end := min(a.A0, b.A0), max(a.A1, b.A1)
			from := [3]int{start, a.B0 - (a.A0 - start), b.B0 - (b.A0 - start)}
			to := [3]int{end, a.B1 + end - a.A1, b.B1 + end - b.A1}
			m.add(Both, from, to)
		}
		if a.A1 >= b.A1 {
			y = y[1:]
		}
		if b.A1 >= a.A1 {
			x = x[1:]
		}
	}
	for _, a := range x {
		m.one(Ours, a, len(m.theirs)-len(m.base))
	}
	for _, b := range y {
		m.one(Theirs, b, len(m.ours)-len(m.base))
	}
}

// one adds what only one side changed; offset is how far the other side's lines are from the
// base's.
func (m *merger) one(side Side, e Edit, offset int) {
	from := [3]int{e.A0, e.B0, e.A0 + offset}
	to := [3]int{e.A1, e.B1, e.A1 + offset}
	if side == Theirs {
		from[1], from[2] = from[2], from[1]
		to[1], to[2] = to[2], to[1]
	}
	m.add(side, from, to)
}

// add adds a chunk, or makes the last one longer if they touch.
func (m *merger) add(side Side, from, to [3]int) {
	if n := len(m.chunks) - 1; n >= 0 {
		c := &m.chunks[n]
		if from[1] <= c.at[1]+c.count[1] || from[2] <= c.at[2]+c.count[2] {
			if c.side != side {
				c.side = Both
			}
			for i := range to {
				c.count[i] = to[i] - c.at[i]
			}
			return
		}
	}
	c := chunk{side: side, at: from}
	for i := range to {
		c.count[i] = to[i] - from[i]
	}
	m.chunks = append(m.chunks, c)
}

// refine splits conflicts where both sides have lines in common.
func (m *merger) refine() {
	var out []chunk
	for _, c := range m.chunks {
		if c.side != Both || c.count[1] == 0 || c.count[2] == 0 {
			out = append(out, c)
			continue
		}
		parts := compare(m.ours[c.at[1]:c.at[1]+c.count[1]], m.theirs[c.at[2]:c.at[2]+c.count[2]], false)
		if len(parts) == 0 {
			c.same = true
			out = append(out, c)
		}
		for _, e := range parts {
			part := c
			part.at[1], part.count[1] = c.at[1]+e.A0, e.A1-e.A0
			part.at[2], part.count[2] = c.at[2]+e.B0, e.B1-e.B0
			out = append(out, part)
		}
	}
	m.chunks = out
}

// unite makes one of conflicts with at most three lines between them.
func (m *merger) unite() {
	var out []chunk
	for _, c := range m.chunks {
		n := len(out) - 1
		if n >= 0 && out[n].conflict() && c.conflict() && c.at[1]-(out[n].at[1]+out[n].count[1]) <= 3 {
			for i := 1; i < 3; i++ {
				out[n].count[i] = c.at[i] + c.count[i] - out[n].at[i]
			}
			continue
		}
		out = append(out, c)
	}
	m.chunks = out
}

func (c chunk) conflict() bool { return c.side == Both && !c.same }

func (m *merger) write() (merged []byte, conflicts int) {
	var b bytes.Buffer
	done := 0 // of our lines
	for _, c := range m.chunks {
		side := c.side
		if side == Both {
			side = m.how.Favor
		}
		if c.same {
			continue // our lines are written with those that follow
		}
		lines(&b, m.ours[done:c.at[1]])
		ours, theirs := m.ours[c.at[1]:c.at[1]+c.count[1]], m.theirs[c.at[2]:c.at[2]+c.count[2]]
		switch side {
		case Ours:
			lines(&b, ours)
		case Theirs:
			lines(&b, theirs)
		case Union:
			lines(&b, ours)
			ensureNewline(&b)
			lines(&b, theirs)
		case Both:
			conflicts++
			m.conflict(&b, ours, m.base[c.at[0]:c.at[0]+c.count[0]], theirs)
		}
		done = c.at[1] + c.count[1]
	}
	lines(&b, m.ours[done:])
	return b.Bytes(), conflicts
}

func (m *merger) conflict(b *bytes.Buffer, ours, base, theirs [][]byte) {
	marker(b, '<', m.how.Ours)
	lines(b, ours)
	ensureNewline(b)
	if m.how.WithBase {
		marker(b, '|', m.how.Base)
		lines(b, base)
		ensureNewline(b)
	}
	marker(b, '=', "")
	lines(b, theirs)
	ensureNewline(b)
	marker(b, '>', m.how.Theirs)
}

const markerSize = 7 // characters

func marker(b *bytes.Buffer, sign byte, label string) {
	ensureNewline(b)
	b.Write(bytes.Repeat([]byte{sign}, markerSize))
	if label != "" {
		b.WriteString(" " + label)
	}
	b.WriteByte('\n')
}

func lines(b *bytes.Buffer, list [][]byte) {
	for _, l := range list {
		b.Write(l)
	}
}

func ensureNewline(b *bytes.Buffer) {
	if n := b.Len(); n > 0 && b.Bytes()[n-1] != '\n' {
		b.WriteByte('\n')
	}
}
