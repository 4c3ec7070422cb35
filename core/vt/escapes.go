package vt

import "strconv"

// AppendEscapes appends to dst what makes a fresh xterm.js of this size, with
// Unicode 11 widths, look and go on like the Screen: the given number of the
// newest rows of the history, both screens, their saved cursors, tab stops and
// scroll regions, modes, charsets, the title, and the start of a sequence whose
// rest is yet to come. It is the Screen as it is, not the last complete frame:
// what is written to the Screen from now on can be written there, too. The
// title stack is left out.
func (s *Screen) AppendEscapes(dst []byte, history int) []byte {
	e := &escaper{s: s, dst: dst}
	if history > 0 {
		e.history(min(history, s.history.count))
	}
	if s.alt != nil && s.buf != s.alt && s.alt.saved != (savedCursor{}) {
		e.string("\x1b[?47h")
		e.saved(s.alt)
		e.setStyle(Style{})
		e.string("\x1b[?47l")
	}
	e.buffer(&s.main)
	if s.buf != &s.main {
		e.setStyle(Style{}) // it begins in the background of the pen
		e.string("\x1b[?47h")
		e.buffer(s.alt)
	}
	e.state()
	e.dst = s.parser.appendPending(e.dst)
	return e.dst
}

// An escaper writes escape sequences. It knows the style that text would get.
type escaper struct {
	s     *Screen
	dst   []byte
	style Style
}

func (e *escaper) string(text string) { e.dst = append(e.dst, text...) }

func (e *escaper) int(n int) { e.dst = strconv.AppendInt(e.dst, int64(n), 10) }

// csi writes a control sequence with one parameter.
func (e *escaper) csi(n int, final string) {
	e.string("\x1b[")
	e.int(n)
	e.string(final)
}

// csiPair writes a control sequence with two parameters.
func (e *escaper) csiPair(a, b int, final string) {
	e.csi(a, ";")
	e.int(b)
	e.string(final)
}

// privateMode writes DECSET.
func (e *escaper) privateMode(n int) {
	e.string("\x1b[?")
	e.int(n)
	e.string("h")
}

// moveTo writes CUP.
func (e *escaper) moveTo(x, y int) { e.csiPair(y+1, x+1, "H") }

// setStyle writes what makes the style of text st.
func (e *escaper) setStyle(st Style) {
	if st == e.style {
		return
	}
	if st.link != e.style.link {
		e.string("\x1b]8;")
		if st.link != 0 {
			l := e.s.links.list[st.link-1]
			if l.id != "" {
				e.string("id=" + l.id)
			}
			e.string(";" + l.uri + "\x1b\\")
		} else {
			e.string(";\x1b\\")
		}
	}
	e.string("\x1b[")
	plain := st
	plain.link = 0
	if plain != (Style{}) {
		e.dst = appendStyleParams(append(e.dst, '0'), st)
	}
	e.string("m")
	if st.Attr&protected != 0 {
		e.string("\x1b[1\"q") // SGR 0 ends it
	}
	e.style = st
}

// attrParams are the parameters of SGR for the bits of an Attr, from the lowest.
var attrParams = [...]string{";1", ";2", ";3", ";5", ";7", ";8", ";9", ";53"}

// appendStyleParams appends the parameters of SGR that make a plain style st,
// each after a semicolon.
func appendStyleParams(dst []byte, st Style) []byte {
	for i, p := range attrParams {
		if st.Attr>>i&1 != 0 {
			dst = append(dst, p...)
		}
	}
	switch u := st.Attr.Underline(); u {
	case NoUnderline:
	case SingleUnderline:
		dst = append(dst, ";4"...)
	default:
		dst = append(dst, ";4:"...)
		dst = append(dst, '0'+byte(u))
	}
	dst = appendColor(dst, st.Fg, 30)
	dst = appendColor(dst, st.Bg, 40)
	return appendColor(dst, st.UnderlineColor, 50)
}

// appendColor appends the parameters that set a colour: 30 for the foreground,
// 40 for the background and 50 for the underline, which has no short forms.
func appendColor(dst []byte, c Color, base int64) []byte {
	if n, ok := c.Palette(); ok {
		switch {
		case n < 8 && base < 50:
			return strconv.AppendInt(append(dst, ';'), base+int64(n), 10)
		case n < 16 && base < 50:
			return strconv.AppendInt(append(dst, ';'), base+60+int64(n-8), 10)
		}
		dst = strconv.AppendInt(append(dst, ';'), base+8, 10)
		return strconv.AppendInt(append(dst, ";5;"...), int64(n), 10)
	}
	if r, g, b, ok := c.RGB(); ok {
		dst = strconv.AppendInt(append(dst, ';'), base+8, 10)
		dst = append(dst, ";2"...)
		for _, v := range [...]uint8{r, g, b} {
			dst = strconv.AppendInt(append(dst, ';'), int64(v), 10)
		}
	}
	return dst
}

// state writes what is not of one of the two screens, and where the cursor is.
func (e *escaper) state() {
	s, m := e.s, &e.s.modes
	if m.Origin {
		e.string("\x1b[?6h")
	}
	e.cursor()
	e.setStyle(s.pen)
	e.charsets(&s.charsets)
	for _, mode := range [...]struct {
		on  bool
		set string
	}{
		{m.Insert, "\x1b[4h"},
		{m.Newline || s.options.Newline, "\x1b[20h"}, // what comes next has no CR either
		{m.AppCursor, "\x1b[?1h"},
		{!m.Autowrap, "\x1b[?7l"},
		{m.CursorHidden, "\x1b[?25l"},
		{m.ReverseWrap, "\x1b[?45h"},
		{m.AppKeypad, "\x1b="},
		{m.Focus, "\x1b[?1004h"},
		{m.BracketedPaste, "\x1b[?2004h"},
	} {
		if mode.on {
			e.string(mode.set)
		}
	}
	if m.Mouse != MouseOff {
		e.privateMode(int(m.Mouse))
	}
	if m.MouseEncoding != MouseBytes {
		e.privateMode(int(m.MouseEncoding))
	}
	switch n := m.shapeNumber(); {
	case n != 0:
		e.csi(n, " q")
	case m.CursorBlink:
		e.string("\x1b[?12h")
	}
	if s.title != "" {
		e.string("\x1b]2;" + s.title + "\a")
	}
	if m.Synchronized {
		e.string("\x1b[?2026h")
	}
}

// cursor puts the cursor where it is. Beyond the last column it gets only by
// printing what is there.
func (e *escaper) cursor() {
	s := e.s
	y := s.y
	if s.modes.Origin {
		y -= s.buf.top
	}
	if s.x < s.cols {
		e.moveTo(s.x, y)
		return
	}
	r := s.buf.seen(s.y)
	x := s.cols - 1
	if x > 0 && r.at(x).isRest() && r.at(x-1).isWide() {
		x--
	}
	e.moveTo(x, y)
	c := r.at(x)
	e.setStyle(s.styles.get(c.style()))
	if !printable(r, x, s.cols) {
		c = ' '
	}
	e.dst = s.clusters.appendText(e.dst, c)
}

func (e *escaper) charsets(c *charsets) {
	for level, set := range c.g {
		if set != 0 {
			e.dst = append(e.dst, esc, "()*+"[level], byte(set))
		}
	}
	e.string([...]string{"", "\x0e", "\x1bn", "\x1bo"}[c.level])
}
