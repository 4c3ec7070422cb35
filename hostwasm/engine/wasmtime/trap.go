//go:build wasmtime

package wasmtime

import (
	"strconv"

	"github.com/bytecodealliance/wasmtime-go/v39"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// reasons are WebAssembly's words for what wasmtime has numbers for.
var reasons = map[wasmtime.TrapCode]string{
	wasmtime.StackOverflow:          engine.StackExhausted,
	wasmtime.MemoryOutOfBounds:      "out of bounds memory access",
	wasmtime.TableOutOfBounds:       "undefined element", // or a table instruction
	wasmtime.IndirectCallToNull:     "uninitialized element",
	wasmtime.BadSignature:           "indirect call type mismatch",
	wasmtime.IntegerOverflow:        "integer overflow",
	wasmtime.IntegerDivisionByZero:  "integer divide by zero",
	wasmtime.BadConversionToInteger: "invalid conversion to integer",
	wasmtime.UnreachableCodeReached: "unreachable",
}

// maxFrames is how much of a stack is told.
const maxFrames = 64

// trap makes an engine.Trap of wasmtime's.
func trap(t *wasmtime.Trap) *engine.Trap {
	told := &engine.Trap{Reason: t.Message()}
	if code := t.Code(); code != nil && reasons[*code] != "" {
		told.Reason = reasons[*code]
	}
	if told.Reason == engine.StackExhausted {
		return told // it can't be told in part, and all of it is some 100,000 functions
	}
	frames := t.Frames()
	for _, f := range frames[:min(len(frames), maxFrames)] {
		name := f.FuncName()
		if name == nil {
			index := "$" + strconv.FormatUint(uint64(f.FuncIndex()), 10)
			name = &index
		}
		told.Stack = append(told.Stack, *name)
	}
	return told
}
