package digest

import (
	"encoding/binary"
	"hash"
	"math/bits"
)

// blake2b is the hash of RFC 7693, without a key.
type blake2b struct {
	h      [8]uint64
	size   int // of the digest, in bytes
	length uint64
	block  [blakeBlock]byte
	filled int
}

const blakeBlock = 128

// What SHA-512 begins with, too.
var blakeStart = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

// blakeOrder is in which order the words of a block are taken in each of ten rounds; then it begins
// again.
var blakeOrder = [10][16]byte{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

// newBlake2b returns one whose digest has so many bytes, of 64 at most.
func newBlake2b(size int) hash.Hash {
	b := &blake2b{size: size}
	b.Reset()
	return b
}

func (b *blake2b) Reset() {
	b.h, b.length, b.filled = blakeStart, 0, 0
	b.h[0] ^= 0x01010000 ^ uint64(b.size)
}

func (b *blake2b) Size() int { return b.size }

func (b *blake2b) BlockSize() int { return blakeBlock }

func (b *blake2b) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if b.filled == blakeBlock { // the last block is told apart, so one is kept
			b.length += blakeBlock
			b.mix(0)
			b.filled = 0
		}
		k := copy(b.block[b.filled:], p)
		b.filled += k
		p = p[k:]
	}
	return n, nil
}

func (b *blake2b) Sum(in []byte) []byte {
	last := *b
	clear(last.block[last.filled:])
	last.length += uint64(last.filled)
	last.mix(^uint64(0))
	var digest [64]byte
	for i, v := range last.h {
		binary.LittleEndian.PutUint64(digest[8*i:], v)
	}
	return append(in, digest[:b.size]...)
}

// mix takes the block into h. last is all ones for the last one.
func (b *blake2b) mix(last uint64) {
	var m, v [16]uint64
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(b.block[8*i:])
	}
	copy(v[:8], b.h[:])
	copy(v[8:], blakeStart[:])
	v[12] ^= b.length
	v[14] ^= last
	for round := range 12 {
		s := &blakeOrder[round%10]
		for i := range 4 {
			quarter(&v, i, 4+i, 8+i, 12+i, m[s[2*i]], m[s[2*i+1]])
		}
		for i := range 4 {
			quarter(&v, i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4, m[s[8+2*i]], m[s[9+2*i]])
		}
	}
	for i := range b.h {
		b.h[i] ^= v[i] ^ v[8+i]
	}
}

// quarter is the function G of the RFC.
func quarter(v *[16]uint64, a, b, c, d int, x, y uint64) {
	va, vb, vc, vd := v[a], v[b], v[c], v[d]
	va += vb + x
	vd = bits.RotateLeft64(vd^va, -32)
	vc += vd
	vb = bits.RotateLeft64(vb^vc, -24)
	va += vb + y
	vd = bits.RotateLeft64(vd^va, -16)
	vc += vd
	vb = bits.RotateLeft64(vb^vc, -63)
	v[a], v[b], v[c], v[d] = va, vb, vc, vd
}
