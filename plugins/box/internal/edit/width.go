package edit

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// Width returns how many columns a prompt takes, without its escape sequences, and without what is
// between \[ and \], which prompts have as the bytes 1 and 2.
func Width(prompt string) int {
	n := 0
	for prompt != "" {
		if prompt[0] == 1 {
			_, prompt, _ = strings.Cut(prompt, "\x02")
			continue
		}
		if k := sequence(prompt); k > 0 {
			prompt = prompt[k:]
			continue
		}
		c, size := utf8.DecodeRuneInString(prompt)
		n += tool.RuneWidth(c)
		prompt = prompt[size:]
	}
	return n
}

// sequence returns how long the escape sequence is that s begins with, 0 if there is none.
func sequence(s string) int {
	if len(s) < 2 || s[0] != 0x1b {
		return 0
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']', 'P', '_', '^':
		for i := 2; i < len(s); i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return len(s)
	case '(', ')':
		return min(3, len(s))
	}
	return 2
}

func itoa(n int) string { return strconv.Itoa(n) }
