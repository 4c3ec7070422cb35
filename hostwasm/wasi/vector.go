package wasi

import (
	"encoding/binary"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// maxVectors is how many pieces a read or write may have: Linux's IOV_MAX.
const maxVectors = 1024

// A vector is an array of iovec or ciovec, which say where the pieces of a
// read or write are. All of them lie in memory.
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#iovec
type vector struct {
	m     memory
	array []byte
}

// vector checks n iovecs at ptr, and returns how many bytes they have
// together.
func (m memory) vector(ptr, n uint32) (v vector, total uint32, err error) {
	if n > maxVectors {
		return vector{}, 0, errno.INVAL
	}
	array, err := m.array(ptr, n, 8)
	if err != nil {
		return vector{}, 0, err
	}
	v = vector{m, array}
	sum := uint64(0)
	for i := range v.len() {
		buf, size := v.get(i)
		if err := m.check(buf, size); err != nil {
			return vector{}, 0, err
		}
		sum += uint64(size)
	}
	if sum > 1<<32-1 {
		return vector{}, 0, errno.INVAL
	}
	return v, uint32(sum), nil
}

func (v vector) len() int { return len(v.array) / 8 }

func (v vector) get(i int) (buf, size uint32) {
	b := v.array[8*i:]
	return binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
}

// A direction is what is done with the bytes of a vector.
type direction bool

const (
	filled direction = true  // by a read
	taken  direction = false // by a write
)

// each calls f for all bytes in order, in pieces of at most maxPiece, until f
// deals with less than it was given, or the guest must end. An error counts
// only if nothing was done before it.
func (p *Process) each(v vector, d direction, f func(b []byte) (int, error)) (n uint32, err error) {
	for i := range v.len() {
		// A read may have overwritten the array itself, so it is checked again.
		ptr, left := v.get(i)
		for left > 0 {
			if err := p.interrupted(); err != nil {
				return n, err
			}
			piece, err := v.piece(ptr, min(left, maxPiece), d)
			if err != nil {
				return n, err
			}
			k, err := f(piece)
			if d == filled {
				v.m.Store(ptr, piece[:k])
			}
			n += uint32(k)
			if empty := p.work(k * fuelPerByte); empty != nil {
				return n, empty
			}
			if _, ended := err.(end); ended {
				return n, err
			}
			if err != nil && n == 0 {
				return 0, err
			}
			if err != nil || k < len(piece) {
				return n, nil
			}
			ptr, left = ptr+uint32(k), left-uint32(k)
		}
	}
	return n, nil
}

func (v vector) piece(ptr, n uint32, d direction) ([]byte, error) {
	if d == filled {
		return v.m.room(ptr, n)
	}
	return v.m.bytes(ptr, n)
}
