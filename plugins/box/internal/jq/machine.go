package jq

import (
	"errors"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A machine runs one program on all of its inputs.
type machine struct {
	env     *tool.Env
	inputs  func() (any, error)
	line    func() int // lines of input that were read
	file    func() any // the name of the input that is read, or null
	library map[string]*closure
	steps   int
	depth   int
}

// Limits of one program, so that one which would never end does.
const (
	maxSteps  = 1 << 30
	maxCalls  = 10_000     // calls within each other
	maxLength = 16_000_000 // items of an array
	maxString = 64 << 20   // bytes
)

var (
	errSteps = errors.New("program runs too long")
	errCalls = errors.New("functions call each other too deep")
	errLarge = errors.New("value is too large")
	errEnded = errors.New("ended") // the command was stopped
)

// step counts something done. Every now and then it looks whether that should go on.
func (m *machine) step() error {
	m.steps++
	if m.steps&0xffff != 0 {
		return nil
	}
	switch {
	case m.env.Stopped():
		return errEnded
	case m.steps > maxSteps:
		return errSteps
	}
	const each = 64 // bytes that a step may have made
	return tool.Keep(0xffff * each)
}

// grown counts an item that an array of n now has.
//
//go:noinline
func (m *machine) grown(n int) error {
	if n > maxLength {
		return errLarge
	}
	const often, size = 1 << 16, 16
	if n > often && n&(n-1) == 0 { // about where it is copied to where there is room for more
		if err := tool.Keep(2 * n * size); err != nil {
			return err
		}
	}
	return m.step()
}

// made counts a value that was computed.
func (m *machine) made(v any) error {
	switch v := v.(type) {
	case string:
		if len(v) > maxString {
			return errLarge
		}
		m.steps += len(v) >> 12
	case []any:
		if len(v) > maxLength {
			return errLarge
		}
		m.steps += len(v) >> 6
	case *object:
		m.steps += len(v.keys) >> 6
	}
	return m.step()
}

// raised is an error of the program, which "try" catches.
type raised struct{ v any }

//go:noinline
func raise(message string) error { return &raised{message} }

func (r *raised) Error() string {
	if s, ok := r.v.(string); ok {
		return s
	}
	return text(r.v)
}

// isBreak reports whether it stands for "break", which is caught silently.
func (r *raised) isBreak() bool {
	o, ok := r.v.(*object)
	if !ok {
		return false
	}
	_, ok = o.get("__jq")
	return ok
}

// halted ends jq at once.
type halted struct {
	status int
	v      any
	quiet  bool
}

func (*halted) Error() string { return "halt" }
