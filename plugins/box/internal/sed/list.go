package sed

import (
	"fmt"
	"strings"
)

// list returns p as l shows it, broken into lines of at most width columns; width 1 or less does
// not break.
func list(p []byte, width int) []byte {
	var b strings.Builder
	column := 0
	for _, c := range p {
		s := string(c)
		switch {
		case c == '\\':
			s = `\\`
		case '\a' <= c && c <= '\r':
			s = `\` + string("abtnvfr"[c-'\a'])
		case c < ' ' || c > '~':
			s = fmt.Sprintf(`\%03o`, c)
		}
		if width > 1 && column+len(s) > width-1 {
			b.WriteString("\\\n")
			column = 0
		}
		b.WriteString(s)
		column += len(s)
	}
	b.WriteString("$\n")
	return []byte(b.String())
}
