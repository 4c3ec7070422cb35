package remote

import "sync"

// A body is what the largest frames of data have theirs in.
type body [maxData + 32]byte

var bodies = sync.Pool{New: func() any { return new(body) }}

// newBody returns an empty body for n bytes of data. A small one is as large as it has to be: there
// may be many, each kept until it is acknowledged.
func newBody(n int) []byte {
	if n < maxData/8 {
		return make([]byte, 0, n+32)
	}
	return bodies.Get().(*body)[:0]
}

// freeBody lets go of the body of a frame.
func freeBody(f *frame) {
	if cap(f.body) == len(body{}) {
		bodies.Put((*body)(f.body[:len(body{})]))
	}
	f.body = nil
}
