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
	b.blank = row{rest: rest}
	b.spare, b.made = nil, 0
	b.top, b.bottom = 0, n-1
}

// load makes list the rows of b.
func (b *buffer) load(list []row) {
	b.allocate(len(list), 0)
	for i := range list {
		b.rows[i] = &list[i]
	}
}

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
	if n == 1 {
		first := s[0]
		copy(s, s[1:])
		s[len(s)-1] = first
		return
	}
	slices.Reverse(s[:n])
	slices.Reverse(s[n:])
	slices.Reverse(s)
}
