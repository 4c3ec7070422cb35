package vt

import (
	"slices"
	"unicode/utf8"
)

// What a packed row holds besides text. No text has these characters.
const (
	packEmpty = 0 // an empty cell
	packRest  = 1 // a second place of a wide cell that is no more
	// Before the text of a cell: a byte with its width, which is not what the text says.
	packOdd = 2
)

// packRow returns row r as bytes, valid until the next call: its text, and where
// that is not all, NUL and the styles: for each run the number of cells and what
// appendPackedStyle makes. A last run of no cells is how the rest of the row is.
// plain says that the text is all there is, in the plain style. Hyperlinks are
// lost.
func (s *Screen) packRow(r *row) (packed []byte, plain bool) {
	scratch := s.scratch()
	dst := scratch.text[:0]
	if r.rest.hasContent() {
		r.extend(s.cols, s.cols)
	}
	cells := r.cells
	if r.rest == 0 || len(cells) == s.cols {
		for len(cells) > 0 && cells[len(cells)-1] == 0 {
			cells = cells[:len(cells)-1]
		}
		if packed, ok := packPlain(dst, cells); ok {
			return packed, true
		}
	}
	// The styles come after the text, and the length of that, which is not known
	// yet, after the styles.
	runs := scratch.styles[:0]
	lead := min(int(r.lead), len(cells))
	dst = appendZeros(slices.Grow(dst, 3*len(cells)), lead) // packEmpty
	for i := 0; i < len(cells); {
		first, style := i, cells[i].style()
		i = max(i, lead) // those before it have the plain style, and are in dst
		for i < len(cells) && cells[i].style() == style {
			if c := uint32(cells[i]); c < utf8.RuneSelf {
				dst = append(dst, byte(c)) // an empty one is packEmpty
				i++
				continue
			}
			var n int
			if dst, n = packUsual(dst, cells[i:], style); n == 0 {
				dst, n = s.packCell(dst, cells, i), 1
			}
			i += n
		}
		runs = appendUvarint(runs, i-first)
		runs = s.styles.appendPacked(runs, style)
	}
	if r.rest != 0 && len(r.cells) < s.cols {
		runs = append(runs, 0)
		runs = s.styles.appendPacked(runs, r.rest.style())
	}
	scratch.styles = runs
	textLen := len(dst)
	dst = append(dst, runs...)
	return append(dst, byte(textLen), byte(textLen>>8), byte(textLen>>16)), false
}

// appendZeros appends n zeros to dst, which has room for them.
func appendZeros(dst []byte, n int) []byte {
	end := len(dst) + n
	clear(dst[len(dst):end:cap(dst)])
	return dst[:end]
}

// scratch returns the memory for a row.
func (s *Screen) scratch() *scratch {
	if s.history.scratch == nil {
		s.history.scratch = new(scratch)
	}
	return s.history.scratch
}

// packPlain packs cells that are all ASCII in the plain style. ok is false if
// they are not, and nothing is appended.
func packPlain(dst []byte, cells []cell) (packed []byte, ok bool) {
	n := len(dst)
	for _, c := range cells {
		if c-1 >= utf8.RuneSelf-1 {
			return dst[:n], false
		}
		dst = append(dst, byte(c))
	}
	return dst, true
}

// packUsual appends the text of the first cells as far as they are in a style
// and have a character each, of at most three bytes, that is as wide as it says.
// There must be room. It returns how many cells that was.
func packUsual(dst []byte, cells []cell, style uint32) (packed []byte, n int) {
	out := dst[len(dst):cap(dst)]
	k := 0
	for n < len(cells) && k+3 <= len(out) {
		c := cells[n] ^ empty(style)
		size := 1
		if c&^0xFFFF == wide && n+1 < len(cells) && cells[n+1]^empty(style) == spacer {
			c, size = c&0xFFFF, 2
		}
		switch {
		case c < utf8.RuneSelf:
			out[k] = byte(c) // an empty one is packEmpty
			k++
		case c > 0xFFFF:
			return dst[:len(dst)+k], n
		case c < 0x800:
			out[k], out[k+1] = 0xC0|byte(c>>6), 0x80|byte(c&0x3F)
			k += 2
		default:
			out[k], out[k+1], out[k+2] = 0xE0|byte(c>>12), 0x80|byte(c>>6&0x3F), 0x80|byte(c&0x3F)
			k += 3
		}
		n += size
	}
	return dst[:len(dst)+k], n
}

// packCell appends the text of cells[i], which is not usual.
func (s *Screen) packCell(dst []byte, cells []cell, i int) []byte {
	c := cells[i]
	switch {
	case c.isRest():
		if i > 0 && cells[i-1].hasContent() && cells[i-1]&(wide|odd) == wide {
			return dst // it goes without saying
		}
		return append(dst, packRest)
	case !c.hasContent():
		return append(dst, packEmpty)
	}
	width := c.width()
	whole := width == 1 || width == 2 && i+1 < len(cells) && cells[i+1].isRest()
	if !whole || c&odd != 0 {
		dst = append(dst, packOdd, byte(width))
	}
	return s.clusters.appendText(dst, c)
}

// unpacked is a packed row, taken apart.
type unpacked struct {
	text   []byte
	styles []byte // nil if all is plain
}

func unpack(packed []byte, flags int) unpacked {
	if flags&rowPlain != 0 {
		return unpacked{text: packed}
	}
	end := len(packed) - 3
	n := int(packed[end]) | int(packed[end+1])<<8 | int(packed[end+2])<<16
	return unpacked{text: packed[:n], styles: packed[n:end]}
}

// next takes the next cell from u: its text and its width, and whether the
// second place of a wide one follows.
func (u *unpacked) next() (text []byte, width int, whole bool) {
	p := u.text
	switch p[0] {
	case packEmpty:
		u.text = p[1:]
		return nil, 1, true
	case packRest:
		u.text = p[1:]
		return nil, 0, true
	case packOdd:
		n := 2 + clusterLen(p[2:])
		u.text = p[n:]
		return p[2:n], int(p[1]), false
	}
	n := clusterLen(p)
	u.text = p[n:]
	if n == 1 {
		return p[:1], 1, true
	}
	r, _ := utf8.DecodeRune(p)
	return p[:n], RuneWidth(r), true
}

// clusterLen returns the length of the first character of p and those that join
// it.
func clusterLen(p []byte) int {
	_, n := utf8.DecodeRune(p)
	for n < len(p) && p[n] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(p[n:])
		if RuneWidth(r) != 0 {
			break
		}
		n += size
	}
	return n
}

// unpackRow makes r what was packed.
func (s *Screen) unpackRow(r *row, packed []byte, flags int) {
	u := unpack(packed, flags)
	r.cells, r.lead = r.cells[:0], 0
	r.rest = 0
	r.wrapped = flags&rowWrapped != 0
	for len(u.text) > 0 {
		text, width, whole := u.next()
		c := s.cellOf(text)
		if !whole {
			c |= odd
		}
		switch {
		case width == 0:
			c |= spacer
		case width == 2:
			c |= wide
		}
		r.cells = append(r.cells, c)
		if width == 2 && whole {
			r.cells = append(r.cells, spacer)
		}
	}
	for x := 0; len(u.styles) > 0; {
		n, st := u.run()
		style := empty(s.styles.number(&st))
		if n == 0 {
			r.rest = style
		}
		for range min(n, len(r.cells)-x) {
			r.cells[x] |= style
			x++
		}
	}
}

// cellOf returns a narrow cell with a text.
func (s *Screen) cellOf(text []byte) cell {
	if len(text) == 0 {
		return 0
	}
	r, n := utf8.DecodeRune(text)
	if n == len(text) {
		return cell(r)
	}
	number, ok := s.clusters.number(text)
	if !ok {
		return cell(r)
	}
	return clustered | cell(number)
}

// run takes the next run from u.
func (u *unpacked) run() (cells int, st Style) {
	cells, u.styles = uvarint(u.styles)
	st, u.styles = unpackStyle(u.styles)
	return cells, st
}
