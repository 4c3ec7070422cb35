// Package paint makes what is drawn on a person's terminal: text that fits, and the styles of a
// vt.Screen.
package paint

import (
	"fmt"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// Wrap breaks a line after at most width cells, at a blank if there is one in the second half.
func Wrap(line string, width int) []string {
	var rows []string
	start, blank, cells := 0, 0, 0
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		if w := vt.RuneWidth(r); cells+w <= width {
			if i += size; r == ' ' {
				blank = i
			}
			cells += w
			continue
		}
		if blank-start > width/2 {
			i = blank
		}
		rows = append(rows, line[start:i])
		start, cells = i, 0
	}
	return append(rows, line[start:])
}

// Fit appends as much of s as fits in cols. Controls become blanks.
func Fit(dst []byte, s string, cols int) []byte {
	for _, c := range s {
		if c < ' ' || 0x7f <= c && c < 0xa0 {
			c = ' '
		}
		if cols -= vt.RuneWidth(c); cols < 0 {
			break
		}
		dst = append(dst, string(c)...)
	}
	return dst
}

// Style appends the SGR sequence of a style.
func Style(dst []byte, s vt.Style) []byte {
	dst = append(dst, "\x1b[0"...)
	for _, a := range [...]struct {
		attr vt.Attr
		code int
	}{{vt.Bold, 1}, {vt.Dim, 2}, {vt.Italic, 3}, {vt.Blink, 5}, {vt.Inverse, 7}, {vt.Invisible, 8}, {vt.Strike, 9}, {vt.Overline, 53}} {
		if s.Attr&a.attr != 0 {
			dst = fmt.Appendf(dst, ";%d", a.code)
		}
	}
	if s.Attr.Underline() != vt.NoUnderline {
		dst = append(dst, ";4"...)
	}
	dst = appendColor(dst, 38, s.Fg)
	dst = appendColor(dst, 48, s.Bg)
	return append(dst, 'm')
}

func appendColor(dst []byte, code int, c vt.Color) []byte {
	if n, ok := c.Palette(); ok {
		return fmt.Appendf(dst, ";%d;5;%d", code, n)
	}
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Appendf(dst, ";%d;2;%d;%d;%d", code, r, g, b)
	}
	return dst
}
