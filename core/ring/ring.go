package ring

// firstSize is the memory, in bytes, that the first output takes: most commands
// print a few lines.
const firstSize = 512

// A Ring holds the newest bytes of a stream, at most its limit. The zero value
// has limit 0: it keeps nothing, and counts. Do not copy a Ring that is in use.
type Ring struct {
	limit int    // in bytes
	total uint64 // bytes ever appended

	// buf has what is retained. It grows like any slice until its length is
	// the limit. Then it is a circle, in which new bytes replace the oldest.
	buf  []byte
	head int // index in buf of the oldest byte
}

// New returns an empty Ring that retains at most limit bytes; a negative limit
// is 0. It takes no memory before the first Append.
func New(limit int) Ring {
	return Ring{limit: max(limit, 0)}
}

// Append adds p at the end, at the cost of the oldest bytes. p is copied; of a p
// longer than the limit, only the end. Append does not allocate once the limit
// was reached.
//
// p must be valid UTF-8 in whole runes. Other bytes do no harm here, but are
// returned as they are.
func (r *Ring) Append(p []byte) {
	r.total += uint64(len(p))
	if len(p) >= r.limit {
		p = p[len(p)-r.limit:]
		r.buf, r.head = r.buf[:0], 0
	}
	if room := r.limit - len(r.buf); room > 0 {
		n := min(len(p), room)
		r.grow(n)
		r.buf = append(r.buf, p[:n]...)
		p = p[n:]
	}
	n := copy(r.buf[r.head:], p)
	r.head += n
	if r.head == len(r.buf) {
		r.head = copy(r.buf, p[n:])
	}
}

// grow makes room for n more bytes in buf, by doubling but not beyond the limit.
func (r *Ring) grow(n int) {
	need := len(r.buf) + n
	if need <= cap(r.buf) {
		return
	}
	size := min(max(need, 2*cap(r.buf), firstSize), r.limit)
	r.buf = append(make([]byte, 0, size), r.buf...)
}

// Discard lets go of the retained bytes and their memory. They count as dropped;
// Total stays, and the Ring goes on from there.
func (r *Ring) Discard() {
	r.buf, r.head = nil, 0
}

// Len returns the number of bytes retained. Up to 3 of them are not returned if
// they are the end of a rune whose start was dropped.
func (r *Ring) Len() int { return len(r.buf) }

// Total returns the number of bytes ever appended, which is also the offset of
// the next one.
func (r *Ring) Total() uint64 { return r.total }

// Dropped reports whether any byte was ever lost. Exactly limit bytes are not
// too many.
func (r *Ring) Dropped() bool { return r.oldest() > 0 }

// Cap returns the memory held, in bytes: never more than the limit.
func (r *Ring) Cap() int { return cap(r.buf) }

// oldest returns the offset of the oldest byte retained.
func (r *Ring) oldest() uint64 { return r.total - uint64(len(r.buf)) }
