package vt

import "slices"

// A buffer is one of the two screens: main or alternate.
type buffer struct {
	rows []row
	// The screen is rows[order[zero]], rows[order[zero+1]] and so on, around
	// the end of order: to scroll is to move a number or two.
	order []uint16
	zero  int

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
	b.rows = make([]row, n)
	for i := range b.rows {
		b.rows[i].rest = rest
	}
	b.restart(n)
	b.top, b.bottom = 0, n-1
}

// restart puts the rows in the order of memory.
func (b *buffer) restart(n int) {
	b.order = make([]uint16, n)
	for i := range b.order {
		b.order[i] = uint16(i)
	}
	b.zero = 0
}

// row returns row y of the screen.
func (b *buffer) row(y int) *row {
	i := b.zero + y
	if i >= len(b.order) {
		i -= len(b.order)
	}
	return &b.rows[b.order[i]]
}

// whole reports whether the scroll region is the screen.
func (b *buffer) whole() bool { return b.top == 0 && b.bottom == len(b.order)-1 }

// rotate moves the rows from top to bottom up by n places, or down if n is
// negative. Those that leave come back at the other end.
func (b *buffer) rotate(top, bottom, n int) {
	if b.zero != 0 {
		rotateLeft(b.order, b.zero)
		b.zero = 0
	}
	part := b.order[top : bottom+1]
	if n < 0 {
		n += len(part)
	}
	rotateLeft(part, n)
}

// rotateLeft moves each element n places to the front.
func rotateLeft(s []uint16, n int) {
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
