package jsonrpc

import (
	"bytes"
	"iter"
)

// A Kind is one of the six kinds of JSON value, or Absent.
type Kind uint8

const (
	Absent Kind = iota // no value at all; the zero Value
	Null               // null
	Bool               // true or false
	Number             // a number, as it was written
	String             // a string
	Array              // an array
	Object             // an object
)

var kindNames = [...]string{"absent", "null", "bool", "number", "string", "array", "object"}

func (k Kind) String() string { return kindNames[k] }

// A Value is a piece of a JSON text that [Parse] accepted. It aliases that text,
// which must not change while the Value is in use. The zero Value is Absent.
//
// Finding a member or item walks the text and allocates nothing.
type Value struct {
	raw []byte // without surrounding space
}

// Raw returns the text of v, which is lent: nil if v is Absent.
func (v Value) Raw() []byte { return v.raw }

// Kind returns what v is.
func (v Value) Kind() Kind {
	if len(v.raw) == 0 {
		return Absent
	}
	switch v.raw[0] {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 'n':
		return Null
	case 't', 'f':
		return Bool
	}
	return Number
}

// IsNull reports whether v is null. An Absent value is not.
func (v Value) IsNull() bool { return v.Kind() == Null }

// Bool returns v as a boolean. It returns [ErrType] if v is none.
func (v Value) Bool() (bool, error) {
	if v.Kind() != Bool {
		return false, ErrType
	}
	return v.raw[0] == 't', nil
}

// Get returns the member of v that has the name key, compared after unescaping
// and with exact case. If there are several it is the last. It returns false
// if there is none or v is not an Object.
func (v Value) Get(key string) (Value, bool) {
	var found Value
	for k, member := range v.Members() {
		if k.Is(key) {
			found = member
		}
	}
	return found, found.raw != nil
}

// Members yields the members of v in the order of the text, duplicates and all;
// name is a String. There are none if v is not an Object.
func (v Value) Members() iter.Seq2[Value, Value] {
	return func(yield func(name, member Value) bool) {
		if v.Kind() != Object {
			return
		}
		p := v.raw
		for i := skipSpace(p, 1); p[i] != '}'; {
			nameEnd := stringEnd(p, i)
			start := skipSpace(p, skipSpace(p, nameEnd)+1) // after the colon
			end := valueEnd(p, start)
			if !yield(Value{p[i:nameEnd:nameEnd]}, Value{p[start:end:end]}) {
				return
			}
			i = nextItem(p, end)
		}
	}
}

// Items yields the items of v in order. There are none if v is not an Array.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(item Value) bool) {
		if v.Kind() != Array {
			return
		}
		p := v.raw
		for i := skipSpace(p, 1); p[i] != ']'; {
			end := valueEnd(p, i)
			if !yield(Value{p[i:end:end]}) {
				return
			}
			i = nextItem(p, end)
		}
	}
}

// The functions below walk a text that has passed Parse, so every value, string
// and container in it ends.

// nextItem returns where the item after the one that ended at i begins, or
// where their container ends.
func nextItem(p []byte, i int) int {
	i = skipSpace(p, i)
	if p[i] == ',' {
		i = skipSpace(p, i+1)
	}
	return i
}

// valueEnd returns the index after the value that begins at i.
func valueEnd(p []byte, i int) int {
	switch p[i] {
	case '"':
		return stringEnd(p, i)
	case '{', '[':
		return containerEnd(p, i)
	}
	for i < len(p) && !endsScalar(p[i]) {
		i++
	}
	return i
}

// endsScalar reports whether c ends a number or literal.
func endsScalar(c byte) bool { return c <= ' ' || c == ',' || c == ']' || c == '}' }

func containerEnd(p []byte, i int) int {
	for depth := 0; ; {
		switch p[i] {
		case '"':
			i = stringEnd(p, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		i++
		if depth == 0 {
			return i
		}
	}
}

// stringEnd returns the index after the string that begins at i: after the
// first quote that has an even number of backslashes before it.
func stringEnd(p []byte, i int) int {
	for {
		i++
		i += bytes.IndexByte(p[i:], '"')
		backslashes := 0
		for p[i-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return i + 1
		}
	}
}

func skipSpace(p []byte, i int) int {
	for i < len(p) && (p[i] == ' ' || p[i] == '\n' || p[i] == '\t' || p[i] == '\r') {
		i++
	}
	return i
}
