//go:build !wasip1

package inflate

import "encoding/binary"

// load returns the 8 bytes of b, the lowest first.
func load(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// store is the reverse.
func store(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }
