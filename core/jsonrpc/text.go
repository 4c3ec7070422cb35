package jsonrpc

import (
	"bytes"
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// Errors of the methods that read a [Value].
var (
	// ErrType: the value is of another [Kind].
	ErrType = errors.New("jsonrpc: value of another type")

	// ErrLoneSurrogate: the string escapes half of a UTF-16 surrogate pair,
	// such as "\ud800", which no UTF-8 text can hold.
	ErrLoneSurrogate = errors.New("jsonrpc: lone surrogate in a string")
)

// Text returns the string that v holds, unescaped. It returns [ErrType] if v is
// not a String, and [ErrLoneSurrogate] beside a text that has U+FFFD in the
// place of each: good enough to show, not to run.
func (v Value) Text() (string, error) {
	if v.Kind() == String && bytes.IndexByte(v.raw, '\\') < 0 {
		return string(v.raw[1 : len(v.raw)-1]), nil
	}
	text, err := v.AppendText(nil)
	return string(text), err
}

// AppendText appends what [Value.Text] returns to dst. With ErrType it appends
// nothing.
func (v Value) AppendText(dst []byte) ([]byte, error) {
	if v.Kind() != String {
		return dst, ErrType
	}
	var err error
	p := v.raw[1 : len(v.raw)-1]
	for {
		run := bytes.IndexByte(p, '\\')
		if run < 0 {
			return append(dst, p...), err
		}
		dst = append(dst, p[:run]...)
		r, n, ok := unescape(p[run:])
		if !ok {
			err = ErrLoneSurrogate
		}
		dst = utf8.AppendRune(dst, r)
		p = p[run+n:]
	}
}

// Is reports whether v is a String that holds s. It allocates nothing.
func (v Value) Is(s string) bool {
	if v.Kind() != String || len(v.raw)-2 < len(s) { // escapes are longer than what they mean
		return false
	}
	p := v.raw[1 : len(v.raw)-1]
	for {
		run := bytes.IndexByte(p, '\\')
		if run < 0 {
			return string(p) == s
		}
		if len(s) < run || string(p[:run]) != s[:run] {
			return false
		}
		want, n, ok := unescape(p[run:])
		got, size := utf8.DecodeRuneInString(s[run:])
		if !ok || got != want || got == utf8.RuneError && size <= 1 {
			return false
		}
		p, s = p[run+n:], s[run+size:]
	}
}

// unescape returns the character that the escape sequence at the beginning of p
// means, and the length of the sequence: two of them for a surrogate pair. For
// a lone surrogate it is U+FFFD and false.
func unescape(p []byte) (r rune, n int, ok bool) {
	if p[1] != 'u' {
		return shortEscape(p[1]), 2, true
	}
	r = hex4(p[2:])
	if !utf16.IsSurrogate(r) {
		return r, 6, true
	}
	if len(p) >= 12 && p[6] == '\\' && p[7] == 'u' {
		if r := utf16.DecodeRune(r, hex4(p[8:])); r != utf8.RuneError {
			return r, 12, true
		}
	}
	return utf8.RuneError, 6, false
}

func shortEscape(c byte) rune {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return rune(c) // a quote, a backslash or a slash
}

func hex4(p []byte) (r rune) {
	for _, c := range p[:4] {
		digit, _ := hexDigit(c)
		r = r<<4 | digit
	}
	return r
}
