package slim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// What data segments are written with (WebAssembly Core 2.0, sections 5.5.14 and 5.4).
const (
	opEnd      = 0x0b
	opI32Const = 0x41
)

const (
	// overhead is about what it takes to begin a segment: fewer zeros are written rather than left
	// out.
	overhead = 9
	// maxSegments is how many some engines take.
	maxSegments = 100_000
	// maxImage bounds what the data of a module may reach to.
	maxImage = 256 << 20
)

// read returns what the segments of a data section put into the memory.
func read(section []byte) ([]byte, error) {
	r := reader{p: section}
	var image []byte
	for range r.count() {
		if flags, op := r.byte(), r.byte(); r.err == nil && (flags != 0 || op != opI32Const) {
			return nil, fmt.Errorf("a data segment of kind %d, its address by opcode %#x", flags, op)
		}
		at := r.number()
		if op := r.byte(); r.err == nil && op != opEnd {
			return nil, errors.New("a data segment at an address that is computed")
		}
		data := r.bytes(r.number())
		end := at + uint64(len(data))
		if end > maxImage {
			return nil, fmt.Errorf("a data segment up to %#x", end)
		}
		// The sections of the linker are not in the order of their addresses.
		if end > uint64(len(image)) {
			image = append(image, make([]byte, end-uint64(len(image)))...)
		}
		copy(image[at:], data)
	}
	return image, r.err
}

// write returns a data section that puts the image into a memory of zeros.
func write(image []byte) ([]byte, error) {
	gap := make([]byte, overhead)
	var segments []byte
	n := uint64(0)
	for at := 0; ; n++ {
		at = len(image) - len(bytes.TrimLeft(image[at:], "\x00"))
		if at == len(image) {
			break
		}
		data := image[at:]
		if end := bytes.Index(data, gap); end >= 0 {
			data = data[:end]
		}
		segments = appendSigned(append(segments, 0, opI32Const), uint64(at))
		segments = binary.AppendUvarint(append(segments, opEnd), uint64(len(data)))
		segments = append(segments, data...)
		at += len(data)
	}
	if n > maxSegments {
		return nil, fmt.Errorf("%d data segments, which is more than engines take", n)
	}
	return append(binary.AppendUvarint(nil, n), segments...), nil
}

// appendSigned appends a number, which is not negative, where one with a sign is expected.
func appendSigned(b []byte, v uint64) []byte {
	const sign = 0x40
	b = binary.AppendUvarint(b, v)
	if last := &b[len(b)-1]; *last&sign != 0 {
		*last |= 0x80
		b = append(b, 0)
	}
	return b
}
