package remote

import "sync"

// outputs lends what output is kept in until the sink takes it. An idle terminal has none.
var outputs = sync.Pool{New: func() any { return new([passSize]byte) }}

// newOutput returns an empty buffer for output of which the first n bytes are there.
func newOutput(n int) []byte {
	if n < maxData/8 {
		return make([]byte, 0, n)
	}
	return outputs.Get().(*[passSize]byte)[:0]
}

// freeOutput lets go of one that all was taken from.
func freeOutput(p []byte) {
	if cap(p) == passSize {
		outputs.Put((*[passSize]byte)(p[:passSize]))
	}
}
