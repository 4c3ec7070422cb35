package core

import (
	"math/bits"
	"strconv"
)

// A TerminalID is an ACP terminalId: opaque, unguessable, never reused.
// It is the terminal's number and a keyed hash over number and session, so
// that the machine knows an id it has issued without remembering it.
type TerminalID string

const idPrefix = "term_"

// newID returns the id of the n-th terminal, the first being 1.
func newID(seed [16]byte, s SessionID, n uint64) TerminalID {
	id := strconv.AppendUint([]byte(idPrefix), n, 10)
	mac := sipHash128(seed, append(append([]byte(nil), id...), s...))
	id = append(id, '_')
	for _, b := range mac {
		const hex = "0123456789abcdef"
		id = append(id, hex[b>>4], hex[b&15])
	}
	return TerminalID(id)
}

// number returns which terminal of its registry id names, or 0 for what does
// not have the form of an id.
func (id TerminalID) number() uint64 {
	if len(id) < len(idPrefix) || id[:len(idPrefix)] != idPrefix {
		return 0
	}
	digits := id[len(idPrefix):]
	for i := range digits {
		if digits[i] == '_' {
			n, _ := strconv.ParseUint(string(digits[:i]), 10, 64)
			return n
		}
	}
	return 0
}

// sipHash128 is SipHash-2-4 with 128 bits of output: a pseudo-random function
// that stays small in the reactor, where crypto/sha256 is not.
//
// https://www.aumasson.jp/siphash/siphash.pdf
func sipHash128(key [16]byte, p []byte) (sum [16]byte) {
	k0, k1 := littleEndian(key[:8]), littleEndian(key[8:])
	v := [4]uint64{
		k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d ^ 0xee,
		k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573,
	}
	length := uint64(len(p)) << 56
	for ; len(p) >= 8; p = p[8:] {
		sipBlock(&v, littleEndian(p[:8]))
	}
	sipBlock(&v, littleEndian(p)|length)

	v[2] ^= 0xee
	sipRounds(&v, 4)
	low := v[0] ^ v[1] ^ v[2] ^ v[3]
	v[1] ^= 0xdd
	sipRounds(&v, 4)
	high := v[0] ^ v[1] ^ v[2] ^ v[3]
	for i := range 8 {
		sum[i], sum[8+i] = byte(low>>(8*i)), byte(high>>(8*i))
	}
	return sum
}

// littleEndian returns the number that at most 8 bytes hold. Package
// encoding/binary would bring reflect into the reactor.
func littleEndian(p []byte) (n uint64) {
	for i, b := range p {
		n |= uint64(b) << (8 * i)
	}
	return n
}

func sipBlock(v *[4]uint64, m uint64) {
	v[3] ^= m
	sipRounds(v, 2)
	v[0] ^= m
}

func sipRounds(v *[4]uint64, n int) {
	for range n {
		v[0] += v[1]
		v[1] = bits.RotateLeft64(v[1], 13) ^ v[0]
		v[0] = bits.RotateLeft64(v[0], 32)
		v[2] += v[3]
		v[3] = bits.RotateLeft64(v[3], 16) ^ v[2]
		v[0] += v[3]
		v[3] = bits.RotateLeft64(v[3], 21) ^ v[0]
		v[2] += v[1]
		v[1] = bits.RotateLeft64(v[1], 17) ^ v[2]
		v[2] = bits.RotateLeft64(v[2], 32)
	}
}
