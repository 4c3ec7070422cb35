package edit

import (
	"io"
	"strings"
	"unicode/utf8"
)

// A key is what is typed at once. Keys that are no characters have names, those with Meta (Alt, or
// ESC before) begin with "M-".
type key struct {
	char rune
	name string
}

// ctrl is the character of a key with Control.
func ctrl(c rune) rune { return c & 0x1f }

// key reads one.
func (e *Editor) key() (key, error) {
	c, err := readRune(e.Keys)
	if err != nil || c != 0x1b {
		return key{char: c}, err
	}
	c, err = readRune(e.Keys)
	switch {
	case err != nil:
		return key{}, err
	case c == '[':
		return e.sequence()
	case c == 'O':
		c, err = readRune(e.Keys)
		return key{name: finals[c]}, err
	case c == 0x7f || c == '\b':
		return key{name: "M-backspace"}, nil
	}
	return key{name: "M-" + string(c)}, nil
}

// finals are the keys whose sequences have no numbers.
var finals = map[rune]string{
	'A': "up", 'B': "down", 'C': "right", 'D': "left", 'F': "end", 'H': "home", 'M': "enter",
}

var numbered = map[string]string{
	"1": "home", "7": "home", "4": "end", "8": "end", "3": "delete", "200": "paste",
	"5": "up", "6": "down", // as page keys
}

// sequence reads the rest of a control sequence.
func (e *Editor) sequence() (key, error) {
	const most = 32
	var b strings.Builder
	for b.Len() < most {
		c, err := readRune(e.Keys)
		if err != nil {
			return key{}, err
		}
		if c >= 0x40 && c <= 0x7e {
			number, modifiers, _ := strings.Cut(b.String(), ";")
			name := finals[c]
			if c == '~' {
				name = numbered[number]
			}
			if modifiers != "" && modifiers != "1" && modifiers != "2" && (name == "left" || name == "right") {
				name = map[string]string{"left": "M-b", "right": "M-f"}[name]
			}
			return key{name: name}, nil
		}
		b.WriteRune(c)
	}
	return key{}, nil
}

// pasted reads what was pasted, up to its end.
func (e *Editor) pasted() ([]rune, error) {
	const end = "\x1b[201~"
	var b strings.Builder
	for !strings.HasSuffix(b.String(), end) {
		c, err := readRune(e.Keys)
		if err != nil {
			return nil, err
		}
		if b.Len() < maxLine {
			b.WriteRune(c)
		}
	}
	return []rune(strings.ReplaceAll(strings.TrimSuffix(b.String(), end), "\r", "\n")), nil
}

// readRune reads a character: what is no UTF-8 is one of its own.
func readRune(keys io.Reader) (rune, error) {
	var b [utf8.UTFMax]byte
	for n := range b {
		if _, err := io.ReadFull(keys, b[n:n+1]); err != nil {
			return 0, err
		}
		if utf8.FullRune(b[:n+1]) {
			c, _ := utf8.DecodeRune(b[:n+1])
			return c, nil
		}
	}
	return utf8.RuneError, nil
}
