package conform

import (
	"strconv"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

// maxQuote is how much is quoted of what a client has sent, in bytes before it is
// made printable.
const maxQuote = 240

// clip returns text from outside as it may be shown: printable, in a line, and short.
func clip[T string | []byte](text T) string { return printable.Text(cut(text)) }

// cut returns text from outside as it may be quoted with %q: short. What is left out
// of the middle is counted.
func cut[T string | []byte](text T) string {
	s := string(text)
	if len(s) <= maxQuote {
		return s
	}
	head, tail := s[:maxQuote*2/3], s[len(s)-maxQuote/3:]
	for len(head) > 0 && !utf8.RuneStart(s[len(head)]) && len(head) > maxQuote*2/3-utf8.UTFMax {
		head = head[:len(head)-1]
	}
	for n := 0; n < utf8.UTFMax && len(tail) > 0 && !utf8.RuneStart(tail[0]); n++ {
		tail = tail[1:]
	}
	left := len(s) - len(head) - len(tail)
	return head + " … " + strconv.Itoa(left) + " bytes … " + tail
}
