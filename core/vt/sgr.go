package vt

// attrsOn are what SGR 0 to 9 switch on, but for the kinds of underline.
var attrsOn = [10]Attr{1: Bold, 2: Dim, 3: Italic, 5: Blink, 7: Inverse, 8: Invisible, 9: Strike}

// attrsOff are what SGR 22 to 29 switch off.
var attrsOff = [8]Attr{Bold | Dim, Italic, underlineMask, Blink, 0, Inverse, Invisible, Strike}

// setGraphics is SGR.
func (s *Screen) setGraphics(params *Params) {
	s.penKnown, s.eraseKnown = false, false
	st := &s.pen
	for i := 0; i < params.Len(); i++ {
		if params.Sub(i) {
			continue // of a parameter that has none
		}
		switch v := params.Value(i); {
		case v == 0:
			*st = Style{link: st.link}
		case v == 4:
			st.Attr = st.Attr.withUnderline(underlineParam(params, i+1))
		case v < len(attrsOn):
			st.Attr |= attrsOn[v]
		case v >= 22 && v < 22+len(attrsOff):
			st.Attr &^= attrsOff[v-22]
		case v >= 30 && v <= 37:
			st.Fg = Palette(uint8(v - 30))
		case v >= 40 && v <= 47:
			st.Bg = Palette(uint8(v - 40))
		case v >= 90 && v <= 97:
			st.Fg = Palette(uint8(v - 90 + 8))
		case v >= 100 && v <= 107:
			st.Bg = Palette(uint8(v - 100 + 8))
		case v == 38 || v == 48 || v == 58:
			i += st.setColor(params, i)
		default:
			st.setOther(v)
		}
	}
}

// underlineParam returns the kind of underline that value i says, if it is a
// sub-parameter.
func underlineParam(params *Params, i int) Underline {
	if !params.Sub(i) {
		return SingleUnderline
	}
	v := params.Value(i)
	if v < 0 || v > int(DashedUnderline) {
		return SingleUnderline
	}
	return Underline(v)
}

func (st *Style) setOther(v int) {
	switch v {
	case 21:
		st.Attr = st.Attr.withUnderline(DoubleUnderline)
	case 39:
		st.Fg = 0
	case 49:
		st.Bg = 0
	case 53:
		st.Attr |= Overline
	case 55:
		st.Attr &^= Overline
	case 59:
		st.UnderlineColor = 0
	}
}

// simpleColor returns the colour that value i and those after it say in the
// usual form, with semicolons and complete. It returns how many values it took
// besides i, 0 if the form is another.
func simpleColor(params *Params, i int) (c Color, n int) {
	if i+2 >= params.Len() || params.sub>>i&0x3F != 0 {
		return 0, 0
	}
	v := params.values[i : i+3 : len(params.values)]
	switch {
	case v[1] == 5:
		return Palette(uint8(v[2])), 2
	case v[1] == 2 && i+4 < params.Len():
		v = v[:5]
		return RGB(uint8(v[2]), uint8(v[3]), uint8(v[4])), 4
	}
	return 0, 0
}

// setColor sets the colour that value i and those after it say: 38, 48 or 58,
// then 5 and a number in the palette, or 2 and three parts. In the form with
// colons a colour space may come before the parts. It returns how many
// parameters it took besides i, not counting sub-parameters.
func (st *Style) setColor(params *Params, i int) int {
	if c, n := simpleColor(params, i); n > 0 {
		st.set(params.Value(i), c)
		return n
	}
	// As in xterm.js: target, kind, colour space, three parts.
	accu := [6]int{0, 0, -1, 0, 0, 0}
	space, n := 0, 0
	at := i
	for {
		accu[n+space] = params.Value(at)
		if params.Sub(at + 1) {
			for j := 0; params.Sub(at+1+j) && n+j+1+space < len(accu); j++ {
				if accu[1] == 5 {
					space = 1
				}
				if n+j+1+space < len(accu) {
					accu[n+j+1+space] = params.Value(at + 1 + j)
				}
			}
			break
		}
		if accu[1] == 5 && n+space >= 2 || accu[1] == 2 && n+space >= 5 {
			break
		}
		if accu[1] != 0 {
			space = 1
		}
		n++
		at++
		if at >= params.Len() || n+space >= len(accu) {
			break
		}
	}
	switch accu[1] {
	case 5:
		st.set(params.Value(i), Palette(uint8(max(accu[3], 0))))
	case 2:
		st.set(params.Value(i), RGB(uint8(max(accu[3], 0)), uint8(max(accu[4], 0)), uint8(max(accu[5], 0))))
	}
	return n
}

// set makes c the colour that a parameter of SGR names.
func (st *Style) set(target int, c Color) {
	switch target {
	case 38:
		st.Fg = c
	case 48:
		st.Bg = c
	case 58:
		st.UnderlineColor = c
	}
}
