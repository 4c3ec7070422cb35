package wazero

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Of the binary format: https://www.w3.org/TR/wasm-core-2/#binary-format.
const (
	preamble         = 8
	sectionMemory    = 5
	sectionData      = 11
	sectionDataCount = 12
	opI32Const       = 0x41
	opEnd            = 0x0b
)

// errNoSplit is why a module is better left alone.
var errNoSplit = errors.New("its data is not ours to copy")

// split takes the data out of a module: what its memory, which it exports, begins
// with, from address 0 on. The module keeps data that its code uses too, that
// does not fit or that is scattered; then there is none.
func split(wasm []byte) (module, data []byte) {
	r := reader{p: wasm}
	r.bytes(preamble)
	var memory uint64 // what it starts with
	for r.err == nil && len(r.p) > 0 {
		start := len(wasm) - len(r.p)
		id := r.byte()
		s := reader{p: r.bytes(r.number())}
		switch id {
		case sectionMemory:
			s.number() // of memories
			s.number() // kind of limits
			memory = s.number() << 16
		case sectionDataCount:
			return wasm, nil
		case sectionData:
			data = s.data(min(memory, 2*uint64(len(wasm))))
			if s.err != nil {
				return wasm, nil
			}
			return slices.Concat(wasm[:start], r.p), data
		}
	}
	return wasm, nil
}

// A reader takes a module apart. The first failure empties it and sticks.
type reader struct {
	p   []byte
	err error
}

func (r *reader) fail() { r.p, r.err = nil, errNoSplit }

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.p)) {
		r.fail()
		return nil
	}
	p := r.p[:n]
	r.p = r.p[n:]
	return p
}

func (r *reader) byte() byte {
	if p := r.bytes(1); p != nil {
		return p[0]
	}
	return 0
}

// number reads an unsigned number.
func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.p)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.p = r.p[n:]
	return v
}

// offset reads a signed number of 32 bits, as an address.
func (r *reader) offset() uint64 {
	var v uint32
	for shift := 0; ; shift += 7 {
		b := r.byte()
		v |= uint32(b&0x7f) << shift
		switch {
		case b >= 0x80 && shift < 28:
			continue
		case b >= 0x80:
			r.fail()
		case b&0x40 != 0 && shift < 28:
			v |= ^uint32(0) << (shift + 7) // extend the sign
		}
		return uint64(v)
	}
}

// data returns what a data section puts into a memory that has limit bytes.
func (r *reader) data(limit uint64) (data []byte) {
	for n := r.number(); n > 0 && r.err == nil; n-- {
		if r.byte() != 0 || r.byte() != opI32Const {
			r.fail()
		}
		at := r.offset()
		if r.byte() != opEnd {
			r.fail()
		}
		p := r.bytes(r.number())
		end := at + uint64(len(p))
		if r.err != nil || end > limit {
			r.fail()
			return nil
		}
		if grow := int(end) - len(data); grow > 0 {
			data = append(data, make([]byte, grow)...)
		}
		copy(data[at:], p)
	}
	return data
}
