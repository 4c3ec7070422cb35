package tool

import "unicode"

// RuneWidth is the number of columns that c takes on a terminal.
func RuneWidth(c rune) int {
	switch {
	case !unicode.IsGraphic(c), unicode.In(c, unicode.Mn, unicode.Me):
		return 0
	case c == 0x3000, c >= 0x1100 && unicode.In(c, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), 0xff01 <= c && c <= 0xff60, 0x1f300 <= c && c <= 0x1faff:
		return 2
	}
	return 1
}

// Columns is the number of columns that s takes on a terminal.
func Columns(s string) int {
	n := 0
	for _, c := range s {
		n += RuneWidth(c)
	}
	return n
}
