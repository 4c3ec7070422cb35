// Package printable makes text from outside safe to show on a terminal or in a log.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with what a terminal would obey, what breaks or reorders lines, and what nobody
// sees or takes for a blank, escaped as Go does. The result may be longer than s, up to six times.
func Text(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) || isInvisible(r) {
			quoted := strconv.QuoteToASCII(s[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// isInvisible reports whether r is drawn as nothing, or as a blank, though Unicode counts it among
// letters, marks or symbols: the fillers of Hangul, selectors of variants, a pattern of Braille
// without dots.
func isInvisible(r rune) bool {
	return r == '\u2800' || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
