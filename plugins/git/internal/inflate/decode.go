// Package inflate decodes streams of zlib between two slices of bytes. In the sandbox it takes a
// fraction of the time of compress/zlib, which asks an io.Reader for each byte and copies what it
// makes out of a window: git's objects are small, and how long they are is known.
package inflate

import (
	"encoding/binary"
	"errors"
	"hash/adler32"
)

// What Decode fails with.
var (
	ErrMore    = errors.New("inflate: the stream makes more than there is room for")
	ErrShort   = errors.New("inflate: the stream ends too early")
	ErrCorrupt = errors.New("inflate: the stream is corrupt")
)

// A Decoder has the tables that decoding wants, for one stream after the other. The zero Decoder
// is ready. It is for one goroutine at a time.
type Decoder struct {
	symbols, distances table // of the block that is decoded

	fixed, fixedDistances table // of the blocks that come without; made for the first of them
	hasFixed              bool
}

// Decode decodes the stream that src begins with into dst, and returns how many bytes it has made:
// https://www.rfc-editor.org/rfc/rfc1950. Behind the stream src may have anything. The error is nil
// where the stream has ended and its sum is right. It is ErrMore where dst is full before: then dst
// has what the stream begins to make. It is ErrShort where a longer src may give another answer.
// Decode writes to nothing but dst, keeps neither slice, and takes time that is linear in the
// lengths of both.
func (d *Decoder) Decode(dst, src []byte) (n int, err error) {
	const head, deflate, dictionary = 2, 8, 1 << 5
	switch {
	case len(src) < head:
		return 0, ErrShort
	case src[0]&15 != deflate || src[0]>>4 > 7 || binary.BigEndian.Uint16(src)%31 != 0 || src[1]&dictionary != 0:
		return 0, ErrCorrupt
	}
	in := input{src: src, at: head}
	for last := false; !last; {
		if n, last, err = d.block(dst, n, &in); err != nil {
			return n, err
		}
	}
	in.align()
	sum, err := in.bytes(4)
	if err == nil && binary.BigEndian.Uint32(sum) != adler32.Checksum(dst[:n]) {
		err = ErrCorrupt
	}
	return n, err
}

// block decodes a block, whose bytes begin at dst[n]. It returns where they end, and whether that
// was the last block: https://www.rfc-editor.org/rfc/rfc1951#section-3.2.3.
func (d *Decoder) block(dst []byte, n int, in *input) (end int, last bool, err error) {
	head, err := in.take(3)
	if err != nil {
		return n, false, err
	}
	last = head&1 != 0
	switch head >> 1 {
	case 0:
		end, err = stored(dst, n, in)
	case 1:
		d.makeFixed()
		end, err = compressed(dst, n, in, &d.fixed, &d.fixedDistances)
	case 2:
		if err := d.readTables(in); err != nil {
			return n, false, err
		}
		end, err = compressed(dst, n, in, &d.symbols, &d.distances)
	default:
		return n, false, ErrCorrupt
	}
	return end, last, err
}

// stored copies a block that is not compressed.
func stored(dst []byte, n int, in *input) (end int, err error) {
	in.align()
	head, err := in.bytes(4)
	if err != nil {
		return n, err
	}
	size := binary.LittleEndian.Uint16(head)
	if size != ^binary.LittleEndian.Uint16(head[2:]) {
		return n, ErrCorrupt
	}
	b, err := in.bytes(int(size))
	if err != nil {
		return n, err
	}
	made := copy(dst[n:], b)
	if made < len(b) {
		return n + made, ErrMore
	}
	return n + made, nil
}
