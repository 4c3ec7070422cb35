package vt

// The varints here are those of encoding/binary, which would bring reflection
// into the reactor.

// appendUvarint appends n, which is not negative, in 7 bits a byte, the lowest
// first; the top bit says that more follow.
func appendUvarint(dst []byte, n int) []byte {
	for n >= 0x80 {
		dst = append(dst, byte(n)|0x80)
		n >>= 7
	}
	return append(dst, byte(n))
}

// uvarint takes what appendUvarint appended from the start of p.
func uvarint(p []byte) (n int, rest []byte) {
	for i, c := range p {
		n |= int(c&0x7F) << (7 * i)
		if c < 0x80 {
			return n, p[i+1:]
		}
	}
	return n, nil
}
