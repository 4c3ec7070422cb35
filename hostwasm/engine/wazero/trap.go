package wazero

import (
	"strings"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// reasons are WebAssembly's words where wazero has others.
var reasons = map[string]string{
	"invalid table access":          "undefined element",
	"invalid conversion to integer": "invalid conversion to integer",
	"stack overflow":                engine.StackExhausted,
}

const outOfBounds = "out of bounds memory access"

// maxFrames is how much of a stack is told.
const maxFrames = 64

// trap makes an engine.Trap of wazero's error, which is told in text alone:
// "wasm error: REASON", then "wasm stack trace:" and a line for each function.
// An error of another form, such as a data segment that does not fit, is a
// reason without a stack. module is the name that the module gives itself, which
// wazero puts before those of its functions.
func trap(err error, module string) *engine.Trap {
	head, stack, _ := strings.Cut(err.Error(), "\nwasm stack trace:\n")
	_, reason, found := strings.Cut(head, "wasm error: ")
	if !found {
		reason = head
		if strings.HasSuffix(head, outOfBounds) { // data[N]: …
			reason = outOfBounds
		}
	}
	if r, ok := reasons[reason]; ok {
		reason = r
	}
	t := &engine.Trap{Reason: reason}
	for line := range strings.Lines(stack) {
		if len(t.Stack) == maxFrames {
			break // the names may have lines
		}
		name := strings.TrimSpace(line)
		if strings.HasPrefix(name, "...") || strings.HasPrefix(name, "0x") {
			continue // what was left out; a place in the source
		}
		name = strings.TrimPrefix(name, module+".")
		if i := strings.LastIndexByte(name, '('); i > 0 {
			name = name[:i]
		}
		t.Stack = append(t.Stack, name)
	}
	return t
}
