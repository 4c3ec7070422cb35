package reactor

import (
	"slices"
	"testing"
)

// An Engine makes instances of the reactor.
type Engine struct {
	Name string
	// Open returns a new instance, which ends with the test. It skips the
	// test, with the reason, where the engine is missing.
	Open func(tb testing.TB) Instance
}

// Engines returns all that were compiled in.
func Engines() []Engine { return slices.Clone(engines) }

var engines = []Engine{{"wazero", openWazero}, {"node", openNode}}

// An Instance is one instance of the reactor, in some engine. It is not safe
// for concurrent use.
type Instance interface {
	// Run carries out steps in order, and all of them again until that was
	// done times times. It returns what the last call returned, of which an
	// i32 is the lower half, and what was last read. data is valid until the
	// next Run. An error is a trap, an argument that the engine refuses, or
	// memory that is not there; after a trap the instance is of no more use.
	Run(times int, steps ...Step) (value uint64, data []byte, err error)
}

// A Step is one thing that an embedder does. The zero Step is not one.
type Step struct {
	kind   byte // as in a request to node.mjs
	export string
	args   []uint64
	at, n  uint32
	data   []byte
}

const (
	stepCall  = 'c'
	stepWrite = 'w'
	stepRead  = 'r'
	stepTake  = 't'
)

// Call calls an export. Of an argument that is an i32, args has the lower half.
func Call(export string, args ...uint64) Step {
	return Step{kind: stepCall, export: export, args: args}
}

// Write copies p into memory.
func Write(at uint32, p []byte) Step { return Step{kind: stepWrite, at: at, data: p} }

// Read copies n bytes out of memory.
func Read(at, n uint32) Step { return Step{kind: stepRead, at: at, n: n} }

// Take reads what the last call returned the address and length of.
func Take() Step { return Step{kind: stepTake} }

// unpack takes apart what an export returns for bytes.
func unpack(v uint64) (at, n uint32) { return uint32(v >> 32), uint32(v) }
