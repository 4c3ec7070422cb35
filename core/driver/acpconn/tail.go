package acpconn

// A tail is bytes in order: new ones come at its end, and old ones go at its beginning, each for
// the price of copying it. Its zero value is empty.
type tail struct {
	buf         []byte // a ring
	start, size int    // of what is in it
}

// add appends a copy of p.
func (t *tail) add(p []byte) {
	if need := t.size + len(p); need > len(t.buf) {
		grown := make([]byte, max(need, min(2*len(t.buf), maxKept)))
		t.copyTo(grown)
		t.buf, t.start = grown, 0
	}
	at := t.start + t.size
	if at >= len(t.buf) {
		at -= len(t.buf)
	}
	n := copy(t.buf[at:], p)
	copy(t.buf, p[n:])
	t.size += len(p)
}

// drop removes the first n bytes.
func (t *tail) drop(n int) {
	if t.size -= n; t.size == 0 {
		*t = tail{} // most are empty most of the time
		return
	}
	if t.start += n; t.start >= len(t.buf) {
		t.start -= len(t.buf)
	}
}

// copyTo copies the first bytes to dst, as many as there are and fit.
func (t *tail) copyTo(dst []byte) {
	dst = dst[:min(len(dst), t.size)]
	n := copy(dst, t.buf[t.start:])
	copy(dst[n:], t.buf)
}
