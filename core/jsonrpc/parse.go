package jsonrpc

import (
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how many arrays and objects may contain each other in a text
// that [Parse] accepts.
const MaxDepth = 512

// Values of [SyntaxError.Reason]. They are part of what a peer is told.
const (
	ReasonInvalidJSON = "invalid_json" // the text is not JSON
	ReasonInvalidUTF8 = "invalid_utf8" // the text is not UTF-8
	ReasonTooDeep     = "too_deep"     // more is nested than is allowed
)

// A SyntaxError says why [Parse] refused a text. It never quotes the text.
type SyntaxError struct {
	Offset int    // in bytes, of the first byte that cannot be accepted
	Reason string // one of the Reason constants
	Detail string // what is wrong there, for people
}

func (e *SyntaxError) Error() string {
	return "jsonrpc: " + e.Reason + " at byte " + strconv.Itoa(e.Offset) + ": " + e.Detail
}

// Parse checks that p is one JSON text, as RFC 8259 has it, and returns its
// value, which aliases p.
//
// It refuses with a [*SyntaxError] what other readers let pass: invalid UTF-8
// (looked for first, in all of p), a byte order mark, anything after the value,
// nesting beyond [MaxDepth]. A duplicate key and an escaped lone surrogate are
// grammatical; see [Value.Get] and [Value.Text].
func Parse(p []byte) (Value, error) {
	v, err := parse(p)
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

func parse(p []byte) (Value, *SyntaxError) {
	if !utf8.Valid(p) {
		return Value{}, &SyntaxError{invalidUTF8(p), ReasonInvalidUTF8, "not UTF-8"}
	}
	s := scanner{p: p}
	s.space()
	start := s.i
	if !s.value() {
		return Value{}, &SyntaxError{s.i, s.reason, s.detail}
	}
	end := s.i
	s.space()
	if s.i < len(p) {
		return Value{}, &SyntaxError{s.i, ReasonInvalidJSON, "data after the value"}
	}
	return Value{p[start:end:end]}, nil
}

// invalidUTF8 returns the index of the first ill-formed sequence in p, which
// has one.
func invalidUTF8(p []byte) int {
	for i := 0; i < len(p); {
		n, ok := sequence(p[i:])
		if !ok {
			return i
		}
		i += n
	}
	return len(p)
}

// A scanner checks the grammar of p, which is UTF-8, from i on. Its methods
// return false after noting what is wrong at i.
type scanner struct {
	p              []byte
	i              int
	open           nesting
	reason, detail string
}

func (s *scanner) fail(detail string) bool {
	s.reason, s.detail = ReasonInvalidJSON, detail
	if s.i == len(s.p) {
		s.detail = "unexpected end"
	}
	return false
}

// peek returns the next byte, or 0 at the end: no token begins with a NUL.
func (s *scanner) peek() byte {
	if s.i == len(s.p) {
		return 0
	}
	return s.p[s.i]
}

func (s *scanner) space() { s.i = skipSpace(s.p, s.i) }

// value reads a value and all that is in it, with a loop instead of recursion:
// depth costs one bit.
func (s *scanner) value() bool {
	for {
		c := s.peek()
		if c == '{' || c == '[' {
			entered, ok := s.enter(c)
			if !ok {
				return false
			}
			if entered {
				continue
			}
		} else if !s.scalar(c) {
			return false
		}
		if more, ok := s.leave(); !more {
			return ok
		}
	}
}

// enter reads the beginning of an array or object up to its first value, or
// all of it if it is empty.
func (s *scanner) enter(c byte) (entered, ok bool) {
	object := c == '{'
	if !s.open.push(object) {
		s.reason, s.detail = ReasonTooDeep, "nested too deeply"
		return false, false
	}
	s.i++
	s.space()
	if s.peek() == s.open.closer() {
		s.i++
		s.open.pop()
		return false, true
	}
	return true, !object || s.key()
}

// leave reads what may follow a value: the ends of what it was the last value
// of, then a comma, and what comes before the next value, if there is more.
func (s *scanner) leave() (more, ok bool) {
	for s.open.depth > 0 {
		s.space()
		switch s.peek() {
		case ',':
			s.i++
			s.space()
			ok := !s.open.object() || s.key()
			return ok, ok
		case s.open.closer():
			s.i++
			s.open.pop()
		default:
			return false, s.fail("expected a comma or the end of the array or object")
		}
	}
	return false, true
}

// key reads the name of a member and its colon.
func (s *scanner) key() bool {
	if s.peek() != '"' {
		return s.fail("expected a member name")
	}
	if !s.string() {
		return false
	}
	s.space()
	if s.peek() != ':' {
		return s.fail("expected a colon")
	}
	s.i++
	s.space()
	return true
}

// A nesting records which arrays and objects are open, one bit each.
type nesting struct {
	objects [MaxDepth / 64]uint64
	depth   int
}

func (n *nesting) push(object bool) bool {
	if n.depth == MaxDepth {
		return false
	}
	bit := uint64(1) << (n.depth % 64)
	n.objects[n.depth/64] &^= bit
	if object {
		n.objects[n.depth/64] |= bit
	}
	n.depth++
	return true
}

func (n *nesting) pop() { n.depth-- }

// object reports whether the innermost is an object. depth must be positive.
func (n *nesting) object() bool {
	top := n.depth - 1
	return n.objects[top/64]>>(top%64)&1 != 0
}

func (n *nesting) closer() byte {
	if n.object() {
		return '}'
	}
	return ']'
}
