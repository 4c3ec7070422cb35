package challenge

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// terminus-2 is written in Python, and some of what it does and says is
// Python's: which characters are blank, how a string looks in a message, what
// can be read as a number. https://docs.python.org/3/library/stdtypes.html

// isSpace is str.isspace, which is also \s of re.
func isSpace(c rune) bool { return unicode.IsSpace(c) || 0x1c <= c && c <= 0x1f }

// isWord is \w of re.
func isWord(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsNumber(c) }

func strip(s string) string { return strings.TrimFunc(s, isSpace) }

// skipSpace returns the index of the first character of s, from i on, that is
// not blank.
func skipSpace(s string, i int) int {
	return len(s) - len(strings.TrimLeftFunc(s[i:], isSpace))
}

// repr is repr of a str.
func repr(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	dst := append(make([]byte, 0, len(s)+2), quote)
	for _, c := range s {
		switch {
		case c == rune(quote) || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case unicode.IsPrint(c):
			dst = utf8.AppendRune(dst, c)
		case c < 0x100:
			dst = appendHex(append(dst, `\x`...), c, 2)
		case c < 0x10000:
			dst = appendHex(append(dst, `\u`...), c, 4)
		default:
			dst = appendHex(append(dst, `\U`...), c, 8)
		}
	}
	return string(append(dst, quote))
}

func appendHex(dst []byte, c rune, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[c>>shift&15])
	}
	return dst
}

// parseFloat is float of a str: "1e1", " 5 ", "1_000", "-inf", full-width
// digits, but not "0x10".
func parseFloat(s string) (float64, bool) {
	digits := make([]byte, 0, len(s))
	for _, c := range strip(s) {
		if c >= utf8.RuneSelf {
			if !unicode.IsDigit(c) {
				return 0, false
			}
			c = '0' + digitValue(c)
		}
		digits = append(digits, byte(c))
	}
	plain, ok := withoutUnderscores(digits)
	if !ok || strings.ContainsAny(plain, "xXpP") {
		return 0, false
	}
	if unsigned := strings.TrimLeft(plain, "+-"); len(plain)-len(unsigned) == 1 && strings.EqualFold(unsigned, "nan") {
		plain = unsigned
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil && err.(*strconv.NumError).Err != strconv.ErrRange {
		return 0, false
	}
	return f, true
}

// digitValue returns the value of c, a decimal digit. Unicode has them in runs
// of ten.
func digitValue(c rune) rune {
	for unicode.IsDigit(c - 10) {
		c -= 10
	}
	zero := c
	for unicode.IsDigit(zero - 1) {
		zero--
	}
	return c - zero
}

// withoutUnderscores removes single underscores between digits, and returns
// false if there are others.
func withoutUnderscores(p []byte) (string, bool) {
	isDigit := func(i int) bool { return 0 <= i && i < len(p) && '0' <= p[i] && p[i] <= '9' }
	plain := make([]byte, 0, len(p))
	for i, c := range p {
		if c != '_' {
			plain = append(plain, c)
		} else if !isDigit(i-1) || !isDigit(i+1) {
			return "", false
		}
	}
	return string(plain), true
}
