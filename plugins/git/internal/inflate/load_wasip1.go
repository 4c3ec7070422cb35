package inflate

import "unsafe"

// load returns the 8 bytes of b, the lowest first. WebAssembly loads from any address, but Go's
// compiler makes 8 loads of encoding/binary's.
func load(b []byte) uint64 {
	_ = b[7]
	return *(*uint64)(unsafe.Pointer(unsafe.SliceData(b)))
}

// store is the reverse.
func store(b []byte, v uint64) {
	_ = b[7]
	*(*uint64)(unsafe.Pointer(unsafe.SliceData(b))) = v
}
