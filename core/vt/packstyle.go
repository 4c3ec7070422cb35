package vt

// packedAttr says that a packed style has attributes. The bits below say for
// each of the three colours what kind it is, two bits each.
const packedAttr = 1 << 6

// appendPackedStyle appends st: a byte that says which parts it has, and those.
func appendPackedStyle(dst []byte, st Style) []byte {
	head := len(dst)
	dst = append(dst, 0)
	kinds := byte(0)
	for i, c := range [...]Color{st.Fg, st.Bg, st.UnderlineColor} {
		kinds |= byte(c>>24) << (2 * i)
		switch {
		case c&colorPalette != 0:
			dst = append(dst, byte(c))
		case c&colorRGB != 0:
			dst = append(dst, byte(c>>16), byte(c>>8), byte(c))
		}
	}
	if st.Attr != 0 {
		kinds |= packedAttr
		dst = append(dst, byte(st.Attr), byte(st.Attr>>8))
	}
	dst[head] = kinds
	return dst
}

// unpackStyle takes a style from the start of p.
func unpackStyle(p []byte) (st Style, rest []byte) {
	kinds := p[0]
	p = p[1:]
	for i, c := range [...]*Color{&st.Fg, &st.Bg, &st.UnderlineColor} {
		switch kind := Color(kinds>>(2*i)&3) << 24; kind {
		case colorPalette:
			*c = kind | Color(p[0])
			p = p[1:]
		case colorRGB:
			*c = kind | Color(p[0])<<16 | Color(p[1])<<8 | Color(p[2])
			p = p[3:]
		}
	}
	if kinds&packedAttr != 0 {
		st.Attr = Attr(p[0]) | Attr(p[1])<<8
		p = p[2:]
	}
	return st, p
}

// A packedStyle is what appendPackedStyle appends: 12 bytes at the most.
type packedStyle struct {
	n uint8
	b [15]byte
}

// appendPacked appends what appendPackedStyle does for the style with a number.
func (t *styles) appendPacked(dst []byte, number uint32) []byte {
	if number == 0 {
		return append(dst, 0)
	}
	p := &t.packed[number]
	if p.n == 0 {
		p.n = uint8(len(appendPackedStyle(p.b[:0], t.list[number])))
	}
	return append(dst, p.b[:p.n]...)
}
