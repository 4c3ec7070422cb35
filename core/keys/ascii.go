package keys

import "strings"

// appendASCII appends the key of an ASCII character.
func appendASCII(dst []byte, c byte, held modifier) ([]byte, bool) {
	if c < ' ' {
		return dst, false
	}
	if held&ctrl == 0 {
		return appendCode(dst, c, held)
	}
	if control, ok := controlCode(c); ok {
		return appendCode(dst, control, held&^ctrl)
	}
	if strings.IndexByte(`"$%&*{|}~`, c) >= 0 {
		return dst, false
	}
	if held == ctrl {
		switch c {
		case '2':
			return append(dst, 0x00), true
		case '6':
			return append(dst, 0x1e), true
		case '-', '/':
			return append(dst, 0x1f), true
		}
	}
	return appendCode(dst, c, held)
}

// controlCode returns the control character that c is with Ctrl.
func controlCode(c byte) (byte, bool) {
	switch {
	case 'a' <= c && c <= 'z', '@' <= c && c <= '_':
		return c & 0x1f, true
	case c == ' ':
		return 0, true
	case c == '?':
		return 0x7f, true
	}
	return 0, false
}

// appendCode appends a key that sends c when nothing is held. Meta puts an
// escape before it. With Ctrl it sends nothing, and no other combination
// exists.
func appendCode(dst []byte, c byte, held modifier) ([]byte, bool) {
	switch held {
	case 0:
		return append(dst, c), true
	case meta:
		return append(dst, esc, c), true
	case ctrl:
		return dst, true
	}
	return dst, false
}
