// Package engine is what hostwasm asks of a WebAssembly engine: to compile a
// module and to run it with functions of ours. Engines know nothing of WASI,
// files or processes, and nothing of an engine's types leaks out of its
// package. engine/wazero is the default; engine/wasmtime is the second.
//
// The modules that an Engine gets went through core/meter: they call
// [RunConfig.Refill] whenever their fuel is used up, so that whatever they do
// ends soon after Refill returns an error.
package engine

import (
	"context"
	"errors"
	"strings"
)

// A Target is what modules are metered for: an engine, or what stands for one
// where it does not run itself, as the page's where its modules are built.
type Target interface {
	// Name is what --engine calls it, "wazero" or "wasmtime"; or "page".
	Name() string
	// Version names the engine with all that the code depends on which it
	// compiles, such as the processor.
	Version() string
	// AsksGrow reports whether modules are to be metered with
	// meter.Config.AskGrow: the engine tells nobody else before memory grows.
	AsksGrow() bool
}

// An Engine compiles modules. Its methods are safe for concurrent use.
type Engine interface {
	Target
	// Compile compiles a metered module whose imports are all among funcs; a
	// function that the module does not import costs nothing. If dir is not
	// empty, it is an empty directory that gets what Load needs.
	// The bytes are not kept. The error says what is wrong with the module, or
	// with dir.
	Compile(ctx context.Context, wasm []byte, funcs []Func, dir string) (Program, error)
	// Load returns the program that Compile of this Version has left in dir,
	// where it is trusted as code of ours is. find returns the function for
	// each import, but for core/meter's.
	Load(ctx context.Context, dir string, find func(Import) (Func, error)) (Program, error)
	// Close frees what the engine holds, after all its programs were closed.
	Close() error
}

// A Program is a compiled module. It is safe for concurrent use: many
// instances of it may run at once.
type Program interface {
	// Run makes an instance and calls its start function and then _start, and
	// returns when that has returned: nil; or when it could not go on: a
	// *Trap, or the very error that a Func or Refill returned.
	// What the guest does meanwhile happens on the calling goroutine.
	Run(c RunConfig) error
	// Close frees the program. No Run may be under way.
	Close() error
}

// A Starter is a Program whose engine may lack room for another guest, and then
// has it wait until others have ended. So it can be known before it runs whether
// it does.
type Starter interface {
	Program
	// Start makes an instance, and returns what runs it, as Run does. It returns
	// ErrTooMany if there is no room for long, or when stop is closed before; then
	// nothing has run, and nothing of c is called any more.
	Start(c RunConfig, stop <-chan struct{}) (run func() error, err error)
}

// RunConfig says how one instance runs.
type RunConfig struct {
	// Guest is handed to each Func, untouched.
	Guest any
	// MaxMemory is the most linear memory that the guest may have, in bytes,
	// at most 65535 pages of 64 KiB. Growing beyond it fails with -1; a
	// module that starts with more does not run: ErrMemory.
	MaxMemory uint64
	// MaxStack is the most that the guest's calls may take, in bytes, beyond
	// which they end in a Trap, from LeastStack to MostStack; 0 is DefaultStack.
	// An engine may have something less than the default for all guests instead.
	MaxStack int
	// Refill is called when the guest's fuel is used up. left is what is left,
	// which is negative by less than the cost of one region of code. It
	// returns the fuel from now on, or an error that ends the guest.
	Refill func(left int64) (fuel int64, err error)
	// Done, if not nil, is told when the guest has ended how much fuel was left,
	// and whether memory.grow has failed for another reason than what the module
	// itself says is the most.
	Done func(left int64, refused bool)
	// Grow, if not nil, is asked before the guest's memory becomes larger, to
	// bytes from from; that is from 0 at its start. If it returns false,
	// memory.grow fails with -1 and a start with ErrMemory. An engine that
	// can't ask before asks when it has grown, at the next call of a Func or
	// of Refill, and ends it with ErrMemory.
	Grow func(from, to uint64) bool
}

// Why a guest does not run, besides what is wrong with its module.
var (
	// ErrMemory says that it has more memory than RunConfig allows.
	ErrMemory = errors.New("more memory than it may have")
	// ErrTooMany says that the engine runs as many guests as it can.
	ErrTooMany = errors.New("too many guests at once")
)

// What the calls of a guest may take, in bytes.
const (
	LeastStack   = 64 << 10 // the least that a guest can be given
	DefaultStack = 8 << 20  // what those of a native program may take on most systems
	MostStack    = 32 << 20 // the most that a guest can be given
)

// StackExhausted is the reason of a Trap for too many calls inside each other.
const StackExhausted = "call stack exhausted"

// A Trap is how a guest ends that did what WebAssembly forbids.
type Trap struct {
	// Reason is in the words of the specification where it has some:
	// "unreachable", "out of bounds memory access", "integer divide by zero",
	// StackExhausted …
	Reason string
	// Stack names the guest's functions, the innermost first, as far as the
	// module tells; at most 64 of them.
	Stack []string
}

// Error returns "trap: REASON" and the innermost function, if it is known.
func (t *Trap) Error() string {
	var b strings.Builder
	b.WriteString("trap: ")
	b.WriteString(t.Reason)
	if len(t.Stack) > 0 {
		b.WriteString(" in ")
		b.WriteString(t.Stack[0])
	}
	return b.String()
}
