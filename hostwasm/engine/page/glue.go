//go:build js

package page

import "unsafe"

// What the glue does for us. Pointers are into our memory, numbers of guests and
// programs are ours. Nothing of this calls back before it returns.

// jsCompile copies the n bytes at wasm and compiles them; pageCompiled tells.
//
//go:wasmimport terrarium_page compile
func jsCompile(program int32, wasm unsafe.Pointer, n uint32)

// jsKnown reports whether a module is registered by that key.
//
//go:wasmimport terrarium_page known
func jsKnown(key string) int32

// jsLoad makes what is registered by that key the program, and returns how long
// its text of imports is, or -1.
//
//go:wasmimport terrarium_page load
func jsLoad(program int32, key string) int32

// jsLink says what the program's imports are, a line for each: see program.link.
//
//go:wasmimport terrarium_page link
func jsLink(program int32, imports string)

// jsForget drops a program, if there is one.
//
//go:wasmimport terrarium_page forget
func jsForget(program int32)

// jsText copies the text that was announced last, by an export's or import's n.
//
//go:wasmimport terrarium_page text
func jsText(to unsafe.Pointer, n uint32)

// jsStart makes an instance as soon as there is room and has it run; pageStarted and
// pageEnded tell.
//
//go:wasmimport terrarium_page start
func jsStart(guest, program int32)

// jsAbandon gives a guest up for which there is no room yet, of which nothing is
// told then; or it returns false.
//
//go:wasmimport terrarium_page abandon
func jsAbandon(guest int32) bool

// jsResume lets a guest go on that waits since pageCall answered pending: with
// that result, or not at all.
//
//go:wasmimport terrarium_page resume
func jsResume(guest, status int32, result uint64)

// jsRead and jsWrite copy n bytes between a guest's memory at ptr and ours.
//
//go:wasmimport terrarium_page read
func jsRead(guest int32, ptr uint32, to unsafe.Pointer, n uint32)

//go:wasmimport terrarium_page write
func jsWrite(guest int32, ptr uint32, from unsafe.Pointer, n uint32)

// What pageCall answers, and what jsResume tells.
const (
	done    = 0 // the result is in slots[0]
	pending = 1 // jsResume will tell
	ended   = 2 // the guest has ended: it must not go on
)

// maxText bounds what the glue may tell at once.
const maxText = 32 << 20

// text returns the text of n bytes that the glue has announced.
func text(n int32) string {
	if n <= 0 || n > maxText {
		return ""
	}
	b := make([]byte, n)
	jsText(unsafe.Pointer(unsafe.SliceData(b)), uint32(n))
	return unsafe.String(unsafe.SliceData(b), n)
}
