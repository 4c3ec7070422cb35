package vt

import (
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends what a person sees to dst, as one JSON object:
//
//	{"rows":24,"cols":80,"cursor":{"x":0,"y":0},"alt":false,"title":"",
//	 "lines":[[{"text":"ls"},{"text":" -l","fg":2,"bold":true}],…]}
//
// The cursor may also be "hidden", and have a "shape" (block, underline, bar)
// and "blink". A line is its runs from the first column on; plain blanks at its
// end and blank lines at the end are left out. A run may have "fg", "bg" and
// "underlineColor", a number of the palette or "#rrggbb"; "bold", "dim",
// "italic", "blink", "inverse", "invisible", "strike" and "overline"; an
// "underline" (single, double, curly, dotted, dashed); and a "link". It has a
// "width" in cells if that is not one for each character.
func (s *Screen) AppendJSON(dst []byte) []byte {
	dst = s.appendJSONHead(dst)
	dst = append(dst, `,"lines":[`...)
	end := len(dst)
	for y := range s.rows {
		if y > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[')
		start := len(dst)
		dst = s.appendJSONRuns(dst, y)
		blank := len(dst) == start
		dst = append(dst, ']')
		if !blank {
			end = len(dst)
		}
	}
	return append(dst[:end], "]}"...)
}

// appendJSONHead begins the object with all but the lines.
func (s *Screen) appendJSONHead(dst []byte) []byte {
	c := s.Cursor()
	dst = appendInt(dst, `{"rows":`, s.rows)
	dst = appendInt(dst, `,"cols":`, s.cols)
	dst = appendInt(dst, `,"cursor":{"x":`, c.X)
	dst = appendInt(dst, `,"y":`, c.Y)
	if c.Hidden {
		dst = append(dst, `,"hidden":true`...)
	}
	if c.Shape != DefaultCursor {
		dst = append(dst, `,"shape":"`...)
		dst = append(dst, shapeNames[c.Shape]...)
		dst = append(dst, '"')
	}
	if c.Blink {
		dst = append(dst, `,"blink":true`...)
	}
	dst = append(dst, `},"alt":`...)
	dst = strconv.AppendBool(dst, s.Alt())
	return appendJSONString(append(dst, `,"title":`...), s.title)
}

var (
	shapeNames     = [...]string{"", "block", "underline", "bar"}
	underlineNames = [...]string{"", "single", "double", "curly", "dotted", "dashed"}
	attrNames      = [...]string{"bold", "dim", "italic", "blink", "inverse", "invisible", "strike", "overline"}
)

func (s *Screen) appendJSONRuns(dst []byte, y int) []byte {
	start := len(dst)
	for run := range s.Runs(y) {
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = appendJSONString(append(dst, `{"text":`...), run.Text)
		if utf8.RuneCount(run.Text) != run.Width {
			dst = appendInt(dst, `,"width":`, run.Width)
		}
		st := run.Style
		dst = appendJSONColor(dst, `,"fg":`, st.Fg)
		dst = appendJSONColor(dst, `,"bg":`, st.Bg)
		for i, name := range attrNames {
			if st.Attr>>i&1 != 0 {
				dst = append(dst, `,"`...)
				dst = append(dst, name...)
				dst = append(dst, `":true`...)
			}
		}
		if u := st.Attr.Underline(); u != NoUnderline {
			dst = append(dst, `,"underline":"`...)
			dst = append(dst, underlineNames[u]...)
			dst = append(dst, '"')
		}
		dst = appendJSONColor(dst, `,"underlineColor":`, st.UnderlineColor)
		if run.Link != "" {
			dst = appendJSONString(append(dst, `,"link":`...), run.Link)
		}
		dst = append(dst, '}')
	}
	return dst
}

func appendInt(dst []byte, name string, n int) []byte {
	return strconv.AppendInt(append(dst, name...), int64(n), 10)
}

func appendJSONColor(dst []byte, name string, c Color) []byte {
	const hex = "0123456789abcdef"
	if n, ok := c.Palette(); ok {
		return appendInt(dst, name, int(n))
	}
	if _, _, _, ok := c.RGB(); !ok {
		return dst
	}
	dst = append(append(dst, name...), `"#`...)
	for shift := 20; shift >= 0; shift -= 4 {
		dst = append(dst, hex[c>>shift&15])
	}
	return append(dst, '"')
}

// appendJSONString appends s, which is valid UTF-8 without C0 controls.
func appendJSONString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		c := s[i]
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}
