package challenge

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits beyond which Python 3.11 raises other errors than the one that
// terminus-2 expects: those end a trial there.
const (
	maxDepth  = 990  // arrays and objects in each other
	maxDigits = 4300 // of an integer
)

// A loadError says why a text is not JSON.
type loadError struct {
	at    int // in bytes
	what  string
	fatal bool // terminus-2 would have died of it
}

// describe returns the message of Python's json.JSONDecodeError for an error
// in text. Places are counted in characters.
func (e *loadError) describe(text string) string {
	before := text[:e.at]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return e.what + ": line " + strconv.Itoa(line) + " column " + strconv.Itoa(column) +
		" (char " + strconv.Itoa(utf8.RuneCountInString(before)) + ")"
}

// load checks that text is JSON as Python's json.loads understands it: NaN,
// Infinity and lone surrogates are allowed, raw control characters in strings
// are not.
//
// Package jsonrpc has a reader too, but a strict one, and agents are told in
// Python's words what is wrong with their answers and where.
func load(text string) (value, *loadError) {
	r := reader{s: text}
	r.space()
	start := r.i
	if !r.value() {
		return value{}, &r.err
	}
	end := r.i
	if r.space(); r.i < len(text) {
		r.fail(r.i, "Extra data")
		return value{}, &r.err
	}
	return value{text[start:end]}, nil
}

// A reader checks s from i on. Its methods return false after an error.
type reader struct {
	s     string
	i     int
	depth int
	err   loadError
}

func (r *reader) fail(at int, what string) bool {
	r.err = loadError{at: at, what: what}
	return false
}

func (r *reader) die(what string) bool {
	r.err = loadError{at: r.i, what: what, fatal: true}
	return false
}

// peek returns the next byte, or 0, with which no token begins, at the end.
func (r *reader) peek() byte {
	if r.i < len(r.s) {
		return r.s[r.i]
	}
	return 0
}

func (r *reader) space() {
	for c := r.peek(); c == ' ' || c == '\n' || c == '\t' || c == '\r'; c = r.peek() {
		r.i++
	}
}

func (r *reader) value() bool {
	switch c := r.peek(); c {
	case '"':
		return r.string()
	case '{', '[':
		if r.depth == maxDepth {
			return r.die("Nesting is too deep")
		}
		r.depth++
		ok := c == '{' && r.object() || c == '[' && r.array()
		r.depth--
		return ok
	}
	for _, word := range []string{"null", "true", "false", "NaN", "Infinity", "-Infinity"} {
		if strings.HasPrefix(r.s[r.i:], word) {
			r.i += len(word)
			return true
		}
	}
	return r.number()
}

func (r *reader) object() bool {
	r.i++
	if r.space(); r.peek() == '}' {
		r.i++
		return true
	}
	for {
		if r.peek() != '"' {
			return r.fail(r.i, "Expecting property name enclosed in double quotes")
		}
		if !r.string() {
			return false
		}
		if r.space(); r.peek() != ':' {
			return r.fail(r.i, "Expecting ':' delimiter")
		}
		r.i++
		r.space()
		if !r.value() {
			return false
		}
		if more, ok := r.more('}'); !more {
			return ok
		}
	}
}

func (r *reader) array() bool {
	r.i++
	if r.space(); r.peek() == ']' {
		r.i++
		return true
	}
	for {
		if !r.value() {
			return false
		}
		if more, ok := r.more(']'); !more {
			return ok
		}
	}
}

// more reads what follows a member or item: a comma, or the end of all.
func (r *reader) more(end byte) (more, ok bool) {
	r.space()
	switch r.peek() {
	case end:
		r.i++
		return false, true
	case ',':
		r.i++
		r.space()
		return true, true
	}
	return false, r.fail(r.i, "Expecting ',' delimiter")
}

func (r *reader) string() bool {
	begin := r.i
	r.i++
	for {
		switch c := r.peek(); {
		case r.i == len(r.s):
			return r.fail(begin, "Unterminated string starting at")
		case c == '"':
			r.i++
			return true
		case c == '\\':
			if !r.escape(begin) {
				return false
			}
		case c < ' ':
			return r.fail(r.i, "Invalid control character at")
		default:
			r.i++
		}
	}
}

func (r *reader) escape(begin int) bool {
	at := r.i
	r.i++
	if r.i == len(r.s) {
		return r.fail(begin, "Unterminated string starting at")
	}
	c := r.s[r.i]
	r.i++
	if c != 'u' {
		return strings.IndexByte(`"\/bfnrt`, c) >= 0 || r.fail(at, `Invalid \escape`)
	}
	for range 4 {
		if _, ok := hexDigit(r.peek()); !ok {
			return r.fail(at+1, `Invalid \uXXXX escape`)
		}
		r.i++
	}
	return r.i < len(r.s) || r.fail(at+1, `Invalid \uXXXX escape`)
}

func (r *reader) number() bool {
	start := r.i
	if r.peek() == '-' {
		r.i++
	}
	switch {
	case r.peek() == '0':
		r.i++
	case !r.digits():
		return r.fail(start, "Expecting value")
	}
	integer := r.i
	if r.peek() == '.' {
		r.i++
		if !r.digits() {
			r.i = integer
		}
	}
	fraction := r.i
	if c := r.peek(); c == 'e' || c == 'E' {
		r.i++
		if c := r.peek(); c == '+' || c == '-' {
			r.i++
		}
		if !r.digits() {
			r.i = fraction
		}
	}
	if r.i == integer && len(strings.TrimPrefix(r.s[start:r.i], "-")) > maxDigits {
		return r.die("Number has too many digits")
	}
	return true
}

func (r *reader) digits() bool {
	start := r.i
	for c := r.peek(); '0' <= c && c <= '9'; c = r.peek() {
		r.i++
	}
	return r.i > start
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c | 0x20 - 'a' + 10), true
	}
	return 0, false
}
