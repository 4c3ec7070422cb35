package slim

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// The sections that are looked for (WebAssembly Core 2.0, section 5.5). A module with a count of
// its data segments has code that uses them.
const (
	sectionData      = 11
	sectionDataCount = 12
)

const header = "\x00asm\x01\x00\x00\x00"

// A section is where one begins, where what it holds does, and where it ends.
type section struct{ start, body, end int }

// find finds the data section.
func find(wasm []byte) (section, error) {
	if !bytes.HasPrefix(wasm, []byte(header)) {
		return section{}, errors.New("not a WebAssembly module")
	}
	r := reader{p: wasm[len(header):]}
	for len(r.p) > 0 {
		s := section{start: len(wasm) - len(r.p)}
		id := r.byte()
		n := r.number()
		s.body = len(wasm) - len(r.p)
		r.bytes(n)
		s.end = len(wasm) - len(r.p)
		switch {
		case r.err != nil:
			return section{}, r.err
		case id == sectionDataCount:
			return section{}, errors.New("its code uses data segments")
		case id == sectionData:
			return s, nil
		}
	}
	return section{}, errors.New("it has no data")
}

// A reader takes what is at the start of p. After an error, which stays, there is nothing left.
type reader struct {
	p   []byte
	err error
}

var errShort = errors.New("it ends within something, or has a number that is too large")

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.p)) {
		r.p, r.err = nil, errShort
		return nil
	}
	b := r.p[:n]
	r.p = r.p[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// number reads one that is not negative: those with a sign are written alike.
func (r *reader) number() uint64 {
	const most = 1<<31 - 1
	v, n := binary.Uvarint(r.p)
	if n <= 0 || v > most {
		r.p, r.err = nil, errShort
		return 0
	}
	r.p = r.p[n:]
	return v
}

// count reads how many items follow, each of a byte or more.
func (r *reader) count() int {
	n := r.number()
	if n > uint64(len(r.p)) {
		r.p, r.err = nil, errShort
		return 0
	}
	return int(n)
}
