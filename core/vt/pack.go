package vt

import "unicode/utf8"

// What a packed row holds besides text. No text has these characters.
const (
	packEmpty = 0 // an empty cell
	packRest  = 1 // a second place of a wide cell that is no more
	packOdd   = 2 // before the text of a cell: a byte with its width, which is not what the text says
)

// packRow appends row r to dst: its text, and where that is not all, NUL and the
// styles: for each run the number of cells and what appendPackedStyle makes. A
// last run of no cells is how the rest of the row is. plain says that the
// text is all there is, in the plain style. Hyperlinks are lost.
func (s *Screen) packRow(dst []byte, r *row) (packed []byte, plain bool) {
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
	// The length of the text is not known yet: it comes after.
	start := len(dst)
	dst = s.packText(dst, cells)
	textLen := len(dst) - start
	for i := 0; i < len(cells); {
		n := i + 1
		for n < len(cells) && cells[n].style() == cells[i].style() {
			n++
		}
		dst = appendUvarint(dst, n-i)
		dst = appendPackedStyle(dst, s.styles.get(cells[i].style()))
		i = n
	}
	if r.rest != 0 && len(r.cells) < s.cols {
		dst = append(dst, 0)
		dst = appendPackedStyle(dst, s.styles.get(r.rest.style()))
	}
	return append(dst, byte(textLen), byte(textLen>>8), byte(textLen>>16)), false
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

func (s *Screen) packText(dst []byte, cells []cell) []byte {
	for i := 0; i < len(cells); i++ {
		c := cells[i]
		if c.isRest() {
			dst = append(dst, packRest)
			continue
		}
		if !c.hasContent() {
			dst = append(dst, packEmpty)
			continue
		}
		if content := c & contentMask; content < utf8.RuneSelf && c&widthMask == 0 {
			dst = append(dst, byte(content))
			continue
		}
		width := c.width()
		whole := width == 1 || width == 2 && i+1 < len(cells) && cells[i+1].isRest()
		if !whole || c&odd != 0 {
			dst = append(dst, packOdd, byte(width))
			whole = false
		}
		dst = s.clusters.appendText(dst, c)
		if whole && width == 2 {
			i++
		}
	}
	return dst
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
	r.cells = r.cells[:0]
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
		style := empty(s.styles.number(st))
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
