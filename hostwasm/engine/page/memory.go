//go:build js

package page

import (
	"unsafe"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// A memory is a guest's memory during one call.
type memory struct {
	*engine.Memory        // whose Remote it is
	guest          int32  // whose it is
	size           uint64 // in bytes
	slab           []byte // what Buffer returns, as long as it lasts
	used           int
}

var _ engine.Remote = (*memory)(nil)

// slabSize is enough for most calls.
const slabSize = 64 << 10

// spares are those that no call has. Calls that wait may be many, and their
// buffers are theirs until they return.
var spares []*memory

// newMemory returns the memory of a guest that has size bytes, for one call.
func newMemory(guest int32, size uint64) *memory {
	var m *memory
	if n := len(spares); n > 0 {
		m, spares = spares[n-1], spares[:n-1]
	} else {
		m = &memory{slab: make([]byte, slabSize)}
		m.Memory = engine.Away(m)
	}
	m.guest, m.size, m.used = guest, size, 0
	return m
}

// free ends the call.
func (m *memory) free() {
	const most = 64 // guests are hardly more
	if len(spares) < most {
		spares = append(spares, m)
	}
}

func (m *memory) Size() uint64 { return m.size }

func (m *memory) Buffer(n uint32) []byte {
	if uint64(n) > uint64(len(m.slab)-m.used) {
		return make([]byte, n)
	}
	b := m.slab[m.used:][:n:n]
	m.used += int(n)
	return b
}

func (m *memory) Read(b []byte, ptr uint32) {
	jsRead(m.guest, ptr, unsafe.Pointer(unsafe.SliceData(b)), uint32(len(b)))
}

func (m *memory) Write(ptr uint32, b []byte) {
	jsWrite(m.guest, ptr, unsafe.Pointer(unsafe.SliceData(b)), uint32(len(b)))
}
