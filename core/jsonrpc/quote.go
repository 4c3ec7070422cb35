package jsonrpc

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// text is what can be quoted.
type text interface{ ~string | ~[]byte }

// AppendString appends s as a JSON string. Quotes, backslashes and the controls
// below U+0020 are escaped, so the result has no raw newline; all else stays as
// it is, DEL and U+2028 too. Each maximal subpart of ill-formed UTF-8 (Unicode,
// section 3.9, table 3-8) becomes one U+FFFD.
func AppendString[T text](dst []byte, s T) []byte {
	dst = append(slices.Grow(dst, len(s)+len(`""`)), '"')
	start := 0 // of what is not yet copied
	for i := plain(s, 0); i < len(s); i = plain(s, i) {
		if s[i] < utf8.RuneSelf {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, s[i])
			i++
			start = i
			continue
		}
		end, bad := wellFormed(s, i)
		i = end + bad
		if bad > 0 {
			dst = append(dst, s[start:end]...)
			dst = append(dst, replacement...)
			start = i
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// QuotedLen returns the length in bytes of what [AppendString] appends for s.
func QuotedLen[T text](s T) int {
	total := len(s) + len(`""`)
	for i := plain(s, 0); i < len(s); i = plain(s, i) {
		if s[i] < utf8.RuneSelf {
			total += escapeLen(s[i]) - 1
			i++
			continue
		}
		end, bad := wellFormed(s, i)
		i = end + bad
		if bad > 0 {
			total += len(replacement) - bad
		}
	}
	return total
}

// Excess returns how many bytes must go from the beginning of s so that
// [AppendString] appends at most limit bytes for the rest, quotes and all. The
// cut is between characters. It is len(s) if limit is less than 2.
func Excess[T text](s T, limit int) int {
	over := QuotedLen(s) - limit
	i := 0
	for over > 0 && i < len(s) {
		run := min(plain(s, i)-i, over)
		i += run
		over -= run
		if over > 0 && i < len(s) {
			n, quoted := unit(s[i:])
			i += n
			over -= quoted
		}
	}
	return i
}

// unit returns the length of the character that s begins with, which is not
// plain, and its length when quoted.
func unit[T text](s T) (n, quoted int) {
	if s[0] < utf8.RuneSelf {
		return 1, escapeLen(s[0])
	}
	n, ok := sequence(s)
	if !ok {
		return n, len(replacement)
	}
	return n, n
}

// replacement stands for what is not UTF-8.
const replacement = "\uFFFD"

// escapes maps a byte that must be escaped to the letter of its escape; other
// bytes to 0.
var escapes = [utf8.RuneSelf]byte{
	'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't',
	0x00: 'u', 0x01: 'u', 0x02: 'u', 0x03: 'u', 0x04: 'u', 0x05: 'u', 0x06: 'u', 0x07: 'u',
	0x0b: 'u', 0x0e: 'u', 0x0f: 'u',
	0x10: 'u', 0x11: 'u', 0x12: 'u', 0x13: 'u', 0x14: 'u', 0x15: 'u', 0x16: 'u', 0x17: 'u',
	0x18: 'u', 0x19: 'u', 0x1a: 'u', 0x1b: 'u', 0x1c: 'u', 0x1d: 'u', 0x1e: 'u', 0x1f: 'u',
}

func appendEscape(dst []byte, c byte) []byte {
	letter := escapes[c]
	if letter != 'u' {
		return append(dst, '\\', letter)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

func escapeLen(c byte) int {
	if escapes[c] == 'u' {
		return len(`\u0000`)
	}
	return len(`\n`)
}

// plain returns the index of the first byte of s from i on that is not ASCII or
// must be escaped, or len(s).
func plain[T text](s T, i int) int {
	for ; i+8 <= len(s); i += 8 {
		w := load(s[i : i+8])
		if found := (escaped(w) | w) & high; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf && escapes[s[i]] == 0 {
		i++
	}
	return i
}

// special is plain but for non-ASCII bytes, which it passes over.
func special(s []byte, i int) int {
	for ; i+8 <= len(s); i += 8 {
		w := load(s[i : i+8])
		if found := escaped(w) &^ w & high; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(s) && (s[i] >= utf8.RuneSelf || escapes[s[i]] == 0) {
		i++
	}
	return i
}

// Eight bytes at a time, the first in the lowest place.
const (
	each = 0x0101010101010101
	high = 0x8080808080808080
)

// escaped sets the high bit of each byte of w that must be escaped. The high
// bits of non-ASCII bytes, and of those above the first that is set, mean
// nothing: the subtractions find bytes below 1 and below 0x20, and borrow.
func escaped(w uint64) uint64 {
	quote := w ^ '"'*each
	backslash := w ^ '\\'*each
	return (quote - each) | (backslash - each) | (w - 0x20*each)
}

func load[T text](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
