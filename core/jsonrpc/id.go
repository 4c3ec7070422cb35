package jsonrpc

import (
	"bytes"
	"strconv"
)

// MaxID is how long the JSON text of an [ID] may be, in bytes. It is kept until
// its request is answered, and thousands of requests may wait.
const MaxID = 1 << 10

// An ID names a request. It is null, which is the zero ID, an integer of any
// size, or a string. IDs can be compared and used as map keys: they are equal
// if their JSON values are, however a string was escaped.
type ID struct {
	raw string // JSON text; empty for null
}

// IntID returns the ID n.
func IntID(n int64) ID { return ID{strconv.FormatInt(n, 10)} }

// StringID returns the ID s.
func StringID(s string) ID { return ID{string(AppendString(nil, s))} }

// ParseID returns the ID that v holds. It returns false if v is Absent, longer
// than [MaxID], or a value that cannot be an ID: a number with a fraction or an
// exponent, a boolean, an array, an object.
func ParseID(v Value) (ID, bool) {
	if len(v.raw) > MaxID {
		return ID{}, false
	}
	switch v.Kind() {
	case Null:
		return ID{}, true
	case Number:
		if bytes.ContainsAny(v.raw, ".eE") {
			return ID{}, false
		}
		return ID{string(v.raw)}, true
	case String:
		return stringID(v), true
	}
	return ID{}, false
}

// stringID brings the escapes of v into one form. What has no text, because of
// a lone surrogate, stays as it is and is echoed so.
func stringID(v Value) ID {
	s, err := v.Text()
	if err != nil {
		return ID{string(v.raw)}
	}
	return StringID(s)
}

// IsNull reports whether id is null.
func (id ID) IsNull() bool { return id.raw == "" }

// String returns the JSON text of id.
func (id ID) String() string {
	if id.IsNull() {
		return "null"
	}
	return id.raw
}
