package wazero

import (
	"fmt"
	"os"
	"reflect"
	"unsafe"

	"github.com/tetratelabs/wazero/api"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// A stack is what the calls of one instance take place on.
//
// wazero would begin with 10 KB of Go's memory for each call from outside, and
// copy them into twice as much whenever they do not suffice, until they are more
// than 50 MB: so a recursion without end leaves 84 MB that are used and 42 MB
// that were, and nobody is asked. There is no option for less. What compiled code
// does check, at the start of every function, is that it keeps above the end of
// the stack; so it gets one of ours, which is not Go's memory, takes pages when
// they are touched, and ends where we say. And since it is as long as wazero
// allows one to be, no larger one is tried when it is full.
type stack struct {
	space []byte
	size  int // how much of it, from its end, may be used
}

// engineMost is the length from which on wazero makes a stack no longer:
// callStackCeiling in internal/engine/wazevo/call_engine.go.
const engineMost = 50_000_000

// newStack returns a stack that calls may use size bytes of, or the default.
func newStack(size int) (*stack, error) {
	if size == 0 {
		size = engine.DefaultStack
	}
	s := &stack{size: min(max(size, engine.LeastStack), engine.MostStack)}
	var err error
	select {
	case s.space = <-spares:
	default:
		s.space, err = reserve(engineMost + 1)
	}
	if err == nil {
		start := uint64(engineMost+1-s.size) &^ (uint64(os.Getpagesize()) - 1)
		err = expose(s.space, start, engineMost+1) // a spare one may have been smaller
	}
	if err != nil {
		release(s.space)
		return nil, fmt.Errorf("reserve a stack: %w", err)
	}
	return s, nil
}

// spares are what stacks had that are no more, as if they were new. To map them
// and to have their first pages takes longer than a small guest.
var spares = make(chan []byte, 8)

// release gives the stack back. No call may be under way.
func (s *stack) release() {
	if wipe(s.space) == nil {
		select {
		case spares <- s.space:
			return
		default:
		}
	}
	release(s.space)
}

// interpreter is where functions are from that are not compiled. They have no
// such stack: no more than 2,000 calls may be inside each other.
const interpreter = "github.com/tetratelabs/wazero/internal/engine/interpreter"

// lend has the next call of f take place on s. The error says that this version
// of wazero is one that we do not know: its guests would have no limit.
func (s *stack) lend(f api.Function) error {
	v := reflect.Indirect(reflect.ValueOf(f))
	if v.Type().PkgPath() == interpreter {
		return nil
	}
	space, err := field[[]byte](v, "stack")
	if err != nil {
		return err
	}
	top, err := field[uintptr](v, "stackTop")
	if err != nil {
		return err
	}
	end, err := field[*byte](v, "execCtx", "stackBottomPtr")
	if err != nil {
		return err
	}
	const alignment = 16
	*space = s.space
	*top = uintptr(unsafe.Pointer(unsafe.SliceData(s.space))) + uintptr(len(s.space)-1)&^(alignment-1)
	*end = &s.space[len(s.space)-s.size]
	return nil
}

// field returns a pointer to a field of a struct, by its path.
func field[T any](v reflect.Value, path ...string) (*T, error) {
	of := v.Type()
	for _, name := range path {
		if v.Kind() != reflect.Struct {
			break
		}
		v = v.FieldByName(name)
	}
	if !v.IsValid() || !v.CanAddr() || v.Type() != reflect.TypeFor[T]() {
		return nil, fmt.Errorf("the stack of a %v is not where it was in wazero 1.12", of)
	}
	return (*T)(v.Addr().UnsafePointer()), nil
}
