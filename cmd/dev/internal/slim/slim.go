// Package slim makes WebAssembly modules smaller that Go's linker wrote, and leaves alone what they
// do.
package slim

import (
	"bytes"
	"encoding/binary"
)

// What the linker writes for each function, so that the runtime finds which one an address is in
// (cmd/link/internal/ld/pcln.go, findfunctab): an entry for each 4096 of its addresses, which are
// 65,536 on this architecture. An entry begins with the number of the function. The rest tells
// apart functions that share an entry: none do.
const (
	entrySize   = 20
	perFunction = 16
	recordSize  = perFunction * entrySize
	fewest      = 64 // functions: a table of fewer is not looked for
)

// Module returns the module without what is never read of that table: the runtime looks a function
// up by the first of its addresses (runtime/symtab.go, findfunc), so by its first entry. The linker
// leaves out zeros, which the others become; as they are, they are a tenth of a large module, and
// make more pieces of its data than there may be, so that the zeros of what comes last are written
// out. A module without such a table is returned as it is.
func Module(wasm []byte) ([]byte, error) {
	data, err := find(wasm)
	if err != nil {
		return nil, err
	}
	image, err := read(wasm[data.body:data.end])
	if err != nil {
		return nil, err
	}
	if !clearUnread(image) {
		return wasm, nil
	}
	body, err := write(image)
	if err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(bytes.Clone(wasm[:data.start+1]), uint64(len(body)))
	return append(append(out, body...), wasm[data.end:]...), nil
}

// clearUnread clears what is never read of the table in what the memory holds at first, if there is
// one.
func clearUnread(image []byte) bool {
	var first []byte
	for n := range fewest {
		first = appendRecord(first, n)
	}
	at := bytes.Index(image, first)
	if at < 0 {
		return false
	}
	for n := 0; bytes.HasPrefix(image[at:], appendRecord(nil, n)); n++ {
		clear(image[at+entrySize : at+recordSize])
		at += recordSize
	}
	return true
}

// appendRecord appends the entries of function n.
func appendRecord(b []byte, n int) []byte {
	for range perFunction {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
		b = append(b, make([]byte, entrySize-4)...)
	}
	return b
}
