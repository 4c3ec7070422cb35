package ring

import (
	"slices"
	"unicode/utf8"
)

// AppendTo appends all that is retained to dst, from the first rune that is
// whole.
func (r *Ring) AppendTo(dst []byte) []byte {
	dst, _, _ = r.AppendSince(dst, 0)
	return dst
}

// AppendTail appends the newest bytes to dst, at most n of them, from the first
// rune that is whole.
func (r *Ring) AppendTail(dst []byte, n int) []byte {
	n = min(max(n, 0), len(r.buf))
	dst, _, _ = r.AppendSince(dst, r.total-uint64(n))
	return dst
}

// AppendSince appends to dst what came at offset off and later, and returns the
// offset to ask for next time.
//
// lost is the number of bytes between off and the first one appended: those
// dropped, and up to 3 more that are the end of a rune whose start is not
// there. If off is beyond Total, there is nothing to append and none are lost.
func (r *Ring) AppendSince(dst []byte, off uint64) (out []byte, next, lost uint64) {
	if off >= r.total {
		return dst, r.total, 0
	}
	start := r.runeStart(max(off, r.oldest()))
	older, newer := r.buf[r.head:], r.buf[:r.head]
	if skip := int(start - r.oldest()); skip <= len(older) {
		older = older[skip:]
	} else {
		older, newer = nil, newer[skip-len(older):]
	}
	dst = slices.Grow(dst, len(older)+len(newer))
	dst = append(dst, older...)
	dst = append(dst, newer...)
	return dst, r.total, start - off
}

// runeStart moves the offset of a retained byte forward to the start of a rune,
// or to the end. Offset 0 is one by definition. In valid UTF-8, 3 bytes are the
// most there are to skip; in anything else, there is no use in going further.
func (r *Ring) runeStart(off uint64) uint64 {
	for i := 0; i < utf8.UTFMax-1 && 0 < off && off < r.total; i++ {
		at := (uint64(r.head) + off - r.oldest()) % uint64(len(r.buf))
		if utf8.RuneStart(r.buf[at]) {
			break
		}
		off++
	}
	return off
}
