package main

import (
	"unsafe"

	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	enginepage "github.com/terrarium-dev/terrarium/hostwasm/engine/page"
)

// The imports: ABI.md says what each tells.

//go:wasmimport terrarium_sandbox event
func jsEvent(p unsafe.Pointer, n uint32)

//go:wasmimport terrarium_sandbox output
func jsOutput(watch int32)

//go:wasmimport terrarium_sandbox ended
func jsEnded(watch int32)

//go:wasmimport terrarium_sandbox changed
func jsChanged()

//go:wasmimport terrarium_sandbox line
func jsLine(peer int32, p unsafe.Pointer, n uint32)

//go:wasmimport terrarium_sandbox ask
func jsAsk(p unsafe.Pointer, n uint32, data unsafe.Pointer, size uint32)

// worker is the page, by way of its worker.
type worker struct{}

func (worker) event(p []byte)     { jsEvent(unsafe.Pointer(unsafe.SliceData(p)), uint32(len(p))) }
func (worker) output(watch int32) { jsOutput(watch) }
func (worker) ended(watch int32)  { jsEnded(watch) }
func (worker) changed()           { jsChanged() }
func (worker) ask(p, data []byte) {
	jsAsk(unsafe.Pointer(unsafe.SliceData(p)), uint32(len(p)), unsafe.Pointer(unsafe.SliceData(data)), uint32(len(data)))
}
func (worker) line(peer int32, p []byte) {
	jsLine(peer, unsafe.Pointer(unsafe.SliceData(p)), uint32(len(p)))
}

// wait is how a guest waits for files where nobody is told that it does: not while
// its call is tried.
func wait(f func()) error {
	if enginepage.Trying() {
		return engine.ErrWait
	}
	f()
	return nil
}

// newEngine returns the engine of a page, and what it has compiled.
func newEngine() (engine.Engine, hostwasm.Cache, error) {
	e, err := enginepage.New()
	return e, enginepage.Cache{}, err
}
