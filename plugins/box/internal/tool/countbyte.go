package tool

import (
	"encoding/binary"
	"math/bits"
)

// CountByte is bytes.Count for one byte. On wasm that has no fast way of its own: this looks at
// eight bytes at a time.
func CountByte(p []byte, c byte) int {
	const (
		each = 0x0101010101010101
		low  = 0x7f * each
	)
	n := 0
	for ; len(p) >= 8; p = p[8:] {
		x := binary.LittleEndian.Uint64(p) ^ each*uint64(c) // the byte that is counted is 0 now,
		n += bits.OnesCount64(^(x&low + low | x | low))     // and its highest bit set here
	}
	for _, b := range p {
		if b == c {
			n++
		}
	}
	return n
}
