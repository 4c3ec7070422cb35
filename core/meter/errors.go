package meter

import (
	"errors"
	"strconv"
)

// What is wrong with a module that was refused. An [*Error] wraps one of them.
var (
	ErrMalformed   = errors.New("malformed")   // no WebAssembly, or not valid
	ErrUnsupported = errors.New("unsupported") // WebAssembly, but of a kind that is not allowed
	ErrLimit       = errors.New("over the limit")
	ErrReserved    = errors.New("reserved name") // the module uses a name of the meter's own
)

// An Error says why a module was refused, and where. Its text is one line.
type Error struct {
	Offset int    // in bytes, from the start of the module
	Func   int    // index of the function whose body is at fault, or -1
	Name   string // the name of that function, if the module has names
	Reason string // what is wrong there, for people
	Kind   error  // one of the Err variables
}

func (e *Error) Error() string {
	at := "byte " + strconv.Itoa(e.Offset)
	if e.Func >= 0 {
		at = "function " + strconv.Itoa(e.Func)
		if e.Name != "" {
			at += " (" + strconv.Quote(e.Name) + ")"
		}
		at += ", byte " + strconv.Itoa(e.Offset)
	}
	return "meter: " + e.Kind.Error() + ": " + at + ": " + e.Reason
}

func (e *Error) Unwrap() error { return e.Kind }
