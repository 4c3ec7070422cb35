package engine

import (
	"errors"
	"fmt"
	"strings"
)

// A Func is a function that a guest may import.
type Func struct {
	Module, Name string
	// Params and Results have one letter per value: 'i' is i32, 'I' i64,
	// 'f' f32, 'F' f64. There is at most one result.
	Params, Results string
	// Call is the function. mem is the guest's memory, which the guest leaves
	// alone until Call returns. stack holds the parameters, each in its low bits,
	// and receives the result in stack[0]; its length is the larger one of the two
	// counts. An error ends the guest, and Run returns it.
	Call func(guest any, mem *Memory, stack []uint64) error
	// Try, if not nil, says that Call may wait, and is Call as long as that need
	// not wait. Where it would, Try has no effect and returns ErrWait, and Call is
	// to be called with the same arguments. An engine whose guests share one thread
	// calls Try first, and Call where it may wait; others call Call alone.
	Try func(guest any, mem *Memory, stack []uint64) error
}

// ErrWait is what a Func's Try returns where Call would wait.
var ErrWait = errors.New("the call would wait")

// An Import is a function that a module asks for, described as a Func is; a
// type that is no number has the letter '?'.
type Import struct{ Module, Name, Params, Results string }

// Untold stands for the Params and Results of an Import where the engine does not
// know its type, because it has never seen the module: one that we have compiled
// and checked elsewhere.
const Untold = "*"

// Among returns what finds one of funcs by its name, for Load.
func Among(funcs []Func) func(Import) (Func, error) {
	return func(i Import) (Func, error) {
		for _, f := range funcs {
			if f.Module == i.Module && f.Name == i.Name {
				return f, nil
			}
		}
		return Func{}, fmt.Errorf("import %q %q: there is no such function", i.Module, i.Name)
	}
}

// Type returns the function's type as core/meter tells it: "(i32,i64)->i32".
func (f *Func) Type() string { return list(f.Params) + "->" + results(f.Results) }

func list(letters string) string {
	names := make([]string, len(letters))
	for i := range letters {
		names[i] = typeNames[letters[i]]
	}
	return "(" + strings.Join(names, ",") + ")"
}

func results(letters string) string {
	if len(letters) == 1 {
		return typeNames[letters[0]]
	}
	return list(letters)
}

var typeNames = map[byte]string{'i': "i32", 'I': "i64", 'f': "f32", 'F': "f64"}

// Letters is the inverse of what Type makes of Params. ok is false for other
// types than numbers.
func Letters(params string) (letters string, ok bool) {
	params = strings.TrimSuffix(strings.TrimPrefix(params, "("), ")")
	if params == "" {
		return "", true
	}
	for name := range strings.SplitSeq(params, ",") {
		switch name {
		case "i32":
			letters += "i"
		case "i64":
			letters += "I"
		case "f32":
			letters += "f"
		case "f64":
			letters += "F"
		default:
			return "", false
		}
	}
	return letters, true
}
