package remote

import "sync"

// Data is kept in buffers of three sizes, which are lent again: a flood makes no garbage, and what
// is kept of little is little. Less than the fourth part of the smallest is kept as it is. Each has
// room for the head of a frame's body.
const (
	headRoom     = 64
	smallSize    = 4<<10 + headRoom
	mediumSize   = 16<<10 + headRoom
	largeSize    = maxData + headRoom
	leastToShare = smallSize / 4
)

var (
	smalls  = sync.Pool{New: func() any { return new([smallSize]byte) }}
	mediums = sync.Pool{New: func() any { return new([mediumSize]byte) }}
	larges  = sync.Pool{New: func() any { return new([largeSize]byte) }}
)

// newBuffer returns an empty buffer with room for n bytes, at most largeSize.
func newBuffer(n int) []byte {
	switch {
	case n < leastToShare:
		return make([]byte, 0, n)
	case n <= smallSize:
		return smalls.Get().(*[smallSize]byte)[:0]
	case n <= mediumSize:
		return mediums.Get().(*[mediumSize]byte)[:0]
	}
	return larges.Get().(*[largeSize]byte)[:0]
}

// appendBuffer appends p to a buffer, which may be replaced by a larger one.
func appendBuffer(b, p []byte) []byte {
	if len(b)+len(p) <= cap(b) {
		return append(b, p...)
	}
	larger := append(newBuffer(len(b)+len(p)), b...)
	freeBuffer(b)
	return append(larger, p...)
}

// freeBuffer lends a buffer to others.
func freeBuffer(b []byte) {
	switch cap(b) {
	case smallSize:
		smalls.Put((*[smallSize]byte)(b[:smallSize]))
	case mediumSize:
		mediums.Put((*[mediumSize]byte)(b[:mediumSize]))
	case largeSize:
		larges.Put((*[largeSize]byte)(b[:largeSize]))
	}
}
