package keys

import (
	"strings"
	"unicode/utf8"
)

// Modes are the states of a terminal that change what its keys send. The zero
// value is how a terminal starts.
type Modes struct {
	// AppCursor is DECCKM: arrows send SS3 sequences.
	AppCursor bool
	// AppKeypad is DECPAM: the keypad sends SS3 sequences.
	AppKeypad bool
	// Raw says that nothing between keyboard and program turns carriage
	// return into newline (the line discipline's ICRNL is off). It changes
	// Type only.
	Raw bool
}

// Lookup returns what the key called name sends. It returns false if there is
// no key of that name; a key that sends nothing, such as "C-1", is nil and
// true.
func Lookup(name string, m Modes) ([]byte, bool) { return Append(nil, name, m) }

// Append appends what the key called name sends to dst. If there is no key of
// that name it appends nothing and returns false.
func Append(dst []byte, name string, m Modes) ([]byte, bool) {
	if code, ok := hex(name); ok {
		return utf8.AppendRune(dst, code), true
	}
	mod, base := modifiers(name)
	if base == "" {
		return dst, false
	}
	c, size := utf8.DecodeRuneInString(base)
	switch {
	case size < len(base):
		return appendNamed(dst, base, mod, m)
	case c >= utf8.RuneSelf:
		return appendWide(dst, c, size, mod)
	}
	return appendASCII(dst, byte(c), mod)
}

// Type appends what is sent when text is typed: the key of that name, or text
// itself. In a Raw terminal each newline of text is sent as a carriage return,
// which is what a person's Enter sends and programs there wait for; elsewhere
// the two do the same, and newline is sent, as tmux does.
func Type(dst []byte, text string, m Modes) []byte {
	if dst, ok := Append(dst, text, m); ok {
		return dst
	}
	start := len(dst)
	dst = append(dst, text...)
	if m.Raw {
		for i, c := range dst[start:] {
			if c == '\n' {
				dst[start+i] = '\r'
			}
		}
	}
	return dst
}

// A modifier is a set of keys held down.
type modifier uint8

const (
	shift modifier = 1 << iota
	meta
	ctrl
)

// modifiers splits a name into its prefixes, such as "C-" and "m-", each any
// number of times, and the rest. "^" at the beginning is one more way to write
// "C-", and alone it is a key.
func modifiers(name string) (held modifier, base string) {
	if len(name) > 1 && name[0] == '^' {
		held, name = ctrl, name[1:]
	}
	for len(name) > 1 && name[1] == '-' {
		switch name[0] {
		case 'C', 'c':
			held |= ctrl
		case 'M', 'm':
			held |= meta
		case 'S', 's':
			held |= shift
		default:
			return 0, ""
		}
		name = name[2:]
	}
	return held, name
}

// hex reads a name such as "0xe9", which is a character by its number.
//
// tmux takes the number at the beginning and forgets what follows it, so that
// typing "0x41 + 1\n" sends "A". Here such a text is no name.
func hex(name string) (rune, bool) {
	digits, ok := strings.CutPrefix(name, "0x")
	if !ok || digits == "" || len(digits) > 8 {
		return 0, false
	}
	var code uint32
	for _, c := range []byte(digits) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		code = code<<4 | uint32(c)
	}
	printable := code < 0x80 || 0xa0 <= code && code <= utf8.MaxRune
	return rune(code), printable && utf8.ValidRune(rune(code))
}

// appendWide appends a character beyond ASCII, for which only Meta counts.
func appendWide(dst []byte, c rune, size int, held modifier) ([]byte, bool) {
	if c == utf8.RuneError && size == 1 {
		return dst, false
	}
	if held&meta != 0 {
		dst = append(dst, esc)
	}
	return utf8.AppendRune(dst, c), true
}

const esc = 0x1b
