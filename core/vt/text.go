package vt

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// AppendText appends the text of the screen to dst: what a person sees, see
// [Screen.Synchronized]. Each row ends in a newline. Blanks at the end of a row
// and blank rows at the end of the screen are left out.
func (s *Screen) AppendText(dst []byte) []byte {
	end := len(dst)
	for y := range s.rows {
		start := len(dst)
		dst = s.appendRow(dst, s.seen(y))
		blank := len(dst) == start
		dst = append(dst, '\n')
		if !blank {
			end = len(dst)
		}
	}
	return dst[:end]
}

// AppendRow appends the text of row y, without blanks at its end and without a
// newline. It appends nothing if there is no such row.
func (s *Screen) AppendRow(dst []byte, y int) []byte {
	if y < 0 || y >= s.rows {
		return dst
	}
	return s.appendRow(dst, s.seen(y))
}

func (s *Screen) appendRow(dst []byte, r *row) []byte {
	start := len(dst)
	return trimBlanks(s.appendCells(dst, r), start)
}

// appendCells appends the text of r up to the last cell with content.
func (s *Screen) appendCells(dst []byte, r *row) []byte {
	end := r.contentLen(s.cols)
	lead := min(r.leading(), end)
	for left := lead; left > 0; {
		n := min(left, len(blanks))
		dst = append(dst, blanks[:n]...)
		left -= n
	}
	dst, x := appendASCII(dst, r.cells[lead:min(end, len(r.cells))])
	x += lead
	for x < end {
		c := r.at(x)
		if c.hasContent() {
			dst = s.clusters.appendText(dst, c)
		} else {
			dst = append(dst, ' ')
		}
		x += max(c.width(), 1)
	}
	return dst
}

const blanks = "                                                                "

// appendASCII appends the text of cells as far as that is ASCII, empty ones as
// spaces, and returns how many they were.
func appendASCII(dst []byte, cells []cell) ([]byte, int) {
	start := len(dst)
	dst = slices.Grow(dst, len(cells))
	text := dst[start : start+len(cells)]
	for i, c := range cells {
		if uint32(c)-1 >= utf8.RuneSelf-1 {
			if c.hasContent() || c.width() != 1 {
				return dst[:start+i], i
			}
			c = ' '
		}
		text[i] = byte(c)
	}
	return dst[:start+len(cells)], len(cells)
}

// trimBlanks removes the spaces at the end of p, as far as start.
func trimBlanks(p []byte, start int) []byte {
	return p[:start+len(bytes.TrimRight(p[start:], " "))]
}

// History returns the numbers of the rows that have scrolled out of the main
// screen and are kept: from first to before end. The first row ever to leave is
// number 0, so a reader that remembers end knows which rows are new, and which
// were lost, the next time. Resize can move the newest back to the screen.
func (s *Screen) History() (first, end uint64) {
	return s.history.first, s.history.first + uint64(s.history.count)
}

// AppendHistory appends the text of those rows that are numbered from from to
// before to and are kept, each with a newline, without blanks at its end. With
// join, a row that goes on in the next because it was full gets no newline. They
// are as wide as the screen was when they left it.
func (s *Screen) AppendHistory(dst []byte, from, to uint64, join bool) []byte {
	line := -1 // where it starts in dst
	s.history.each(from, to, func(packed []byte, flags int) {
		if line < 0 {
			line = len(dst)
		} else if !join || flags&rowWrapped == 0 {
			dst = append(trimBlanks(dst, line), '\n')
			line = len(dst)
		}
		dst = appendPackedText(dst, packed, flags)
	})
	if line >= 0 {
		dst = append(trimBlanks(dst, line), '\n')
	}
	return dst
}

func appendPackedText(dst, packed []byte, flags int) []byte {
	if flags&rowPlain != 0 {
		return append(dst, packed...)
	}
	u := unpack(packed, flags)
	end := len(dst) // as contentLen counts
	for len(u.text) > 0 {
		text, width, whole := u.next()
		if len(text) == 0 {
			dst = append(dst, ' ')
			continue
		}
		end = len(dst)
		dst = append(dst, text...)
		if width > 0 {
			end = len(dst)
		}
		if width == 2 && !whole && len(u.text) > 0 {
			u.next() // under it
		}
	}
	return dst[:end]
}
