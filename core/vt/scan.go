package vt

import "math/bits"

const (
	ones  = 0x0101010101010101 // a byte repeated is the byte times ones
	highs = 0x8080808080808080 // the top bit of each byte
)

// TextLen returns the length of the text at the start of b, in bytes: what comes
// before the first C0 control, DEL, or C1 control in UTF-8.
func TextLen(b []byte) int {
	i := 0
	for i+8 <= len(b) {
		// Each of the three puts a top bit where a byte is below 0x20, is 0x7F,
		// is 0xC2. A borrow can add wrong ones, but only above a right one.
		// https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord
		w := word(b[i:])
		del := w ^ 0x7F*ones
		c1 := w ^ 0xC2*ones
		hit := (w - 0x20*ones) &^ w
		hit |= (del - ones) &^ del
		hit |= (c1 - ones) &^ c1
		hit &= highs
		if hit == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(hit) / 8
		if b[i] != 0xC2 || isC1(b[i:]) {
			return i
		}
		i++
	}
	for ; i < len(b); i++ {
		if b[i] < 0x20 || b[i] == 0x7F || b[i] == 0xC2 && isC1(b[i:]) {
			return i
		}
	}
	return i
}

// isC1 reports whether b, which starts with 0xC2, starts with U+0080 to U+009F.
func isC1(b []byte) bool {
	return len(b) > 1 && b[1] >= 0x80 && b[1] < 0xA0
}

// runeLen returns the length of the character at the start of b, which is not
// ASCII.
func runeLen(b []byte) int {
	n := 1
	for n < len(b) && b[n]&0xC0 == 0x80 {
		n++
	}
	return n
}

// word returns the first 8 bytes of b, with one load where the machine can.
func word(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
