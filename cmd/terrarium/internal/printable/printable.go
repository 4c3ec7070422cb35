// Package printable makes text from outside safe to show on a terminal or in a log.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with what a terminal would obey, and what breaks or reorders lines, escaped as Go
// does. The result may be longer than s, up to six times.
func Text(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) {
			quoted := strconv.Quote(s[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}
