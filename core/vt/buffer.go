package vt

import "slices"

// A buffer is one of the two screens: main or alternate.
type buffer struct {
	// The screen is rows[zero], rows[zero+1] and so on, around the end: to scroll
	// is to move a number, or some pointers. A row that nothing was written to is
	// nil and looks like blank.
	rows  []*row
	zero  int
	blank row
	// Rows outside of from ≤ y < to look like blank: to erase them, or to move
	// them about, costs nothing. from is len(rows) and to 0 if all do.
	from, to int

	spare []row // memory for rows
	made  int   // rows that got memory

	top, bottom int      // the first and the last row of the scroll region
	tabs        []uint64 // bit x is a tab stop in column x; nil: each 8th column
	saved       savedCursor
	base        int // rows that scrolled out of the top, for saved.y
	y           int // where the cursor was when the other screen was shown
}

// A savedCursor is what DECSC saves.
type savedCursor struct {
	x, y    int // y counts from where the top was when base was 0
	style   Style
	charset charset
}

// allocate gives b n blank rows. It keeps the saved cursor.
func (b *buffer) allocate(n int, rest cell) {
	b.rows = make([]*row, n)
	b.zero = 0
	b.blank = row{rest: rest, copy: notShown}
	b.spare, b.made = nil, 0
	b.top, b.bottom = 0, n-1
	b.from, b.to = n, 0
}

// renew makes b, whose rows are blank and plain, a new buffer in the memory that it has.
func (b *buffer) renew() {
	n := len(b.rows)
	*b = buffer{
		rows: b.rows, zero: b.zero, blank: b.blank, spare: b.spare, made: b.made,
		bottom: n - 1, from: n,
	}
}

// load makes list the rows of b.
func (b *buffer) load(list []row) {
	b.allocate(len(list), 0)
	for i := range list {
		b.rows[i] = &list[i]
	}
	b.touch(0, len(list))
}

// touch says that the rows from y on to before end may not be blank any longer.
func (b *buffer) touch(y, end int) { b.from, b.to = min(b.from, y), max(b.to, end) }

// clean says that the rows from y on to before end are blank.
func (b *buffer) clean(y, end int) {
	if y <= b.from {
		b.from = max(b.from, end)
	}
	if end >= b.to {
		b.to = min(b.to, y)
	}
	if b.from >= b.to {
		b.from, b.to = len(b.rows), 0
	}
}

// unwrap says that row y does not continue the one above.
func (b *buffer) unwrap(y int) {
	if r := b.rows[b.index(y)]; r != nil {
		r.wrapped = false
	}
}

// touched reports whether row y may not be blank.
func (b *buffer) touched(y int) bool { return b.from <= y && y < b.to }

// index returns where row y of the screen is in rows.
func (b *buffer) index(y int) int {
	i := b.zero + y
	if i >= len(b.rows) {
		i -= len(b.rows)
	}
	return i
}

// row returns row y of the screen, which may be changed.
func (b *buffer) row(y int) *row {
	b.touch(y, y+1)
	i := b.index(y)
	if b.rows[i] == nil {
		b.make(i)
	}
	return b.rows[i]
}

// seen returns row y of the screen, which must not be changed.
func (b *buffer) seen(y int) *row {
	if r := b.rows[b.index(y)]; r != nil {
		return r
	}
	return &b.blank
}

// make gives a row memory: the first gets its own, the others come in batches,
// since a screen with more than a line is soon full.
//
//go:noinline
func (b *buffer) make(i int) {
	if len(b.spare) == 0 {
		b.spare = make([]row, min(max(b.made, 1), 16))
	}
	r := &b.spare[0]
	b.spare = b.spare[1:]
	b.made++
	*r = b.blank
	b.rows[i] = r
}

// whole reports whether the scroll region is the screen.
func (b *buffer) whole() bool { return b.top == 0 && b.bottom == len(b.rows)-1 }

// rotate moves the rows from top to bottom up by n places, or down if n is
// negative. Those that leave come back at the other end.
func (b *buffer) rotate(top, bottom, n int) {
	if b.zero != 0 {
		rotateLeft(b.rows, b.zero)
		b.zero = 0
	}
	part := b.rows[top : bottom+1]
	if n < 0 {
		n += len(part)
	}
	rotateLeft(part, n)
}

// rotateLeft moves each element n places to the front.
func rotateLeft(s []*row, n int) {
	switch n {
	case 1:
		first := s[0]
		copy(s, s[1:])
		s[len(s)-1] = first
	case len(s) - 1:
		last := s[n]
		copy(s[1:], s)
		s[0] = last
	default:
		rotateMany(s, n)
	}
}

// rotateMany is rotateLeft with a few elements put aside, where that will do.
func rotateMany(s []*row, n int) {
	var few [64]*row
	switch right := len(s) - n; {
	case n <= len(few):
		copy(few[:], s[:n])
		copy(s, s[n:])
		copy(s[right:], few[:n])
	case right <= len(few):
		copy(few[:], s[n:])
		copy(s[right:], s[:n])
		copy(s, few[:right])
	default:
		slices.Reverse(s[:n])
		slices.Reverse(s[n:])
		slices.Reverse(s)
	}
}
