package vt

import "unicode/utf8"

const (
	// maxCluster is the size of a cluster in bytes: a character and those joined
	// to it. Any more are dropped.
	maxCluster = 64
	// maxClusters is how many different ones there can be at a time, far more
	// than any script fills a screen with. In more, what would join is dropped.
	maxClusters = 2048
)

// clusters gives a number to each text of a cell that is more than one
// character. The zero value is ready to use.
type clusters struct {
	list  []string // by number
	free  []uint32 // numbers not in use
	index map[string]uint32
	limit int32 // how many there may be before it is time for a sweep
	wait  int32 // the same, in characters that would join, while there are maxClusters
}

// full reports whether it is time for a sweep.
func (t *clusters) full() bool {
	n := len(t.list) - len(t.free)
	if n >= maxClusters {
		t.wait--
		return t.wait <= 0
	}
	return n >= max(int(t.limit), minSweep)
}

// number returns the number of a text, a new one if it has none. ok is false if
// there are too many.
func (t *clusters) number(text []byte) (n uint32, ok bool) {
	if n, ok := t.index[string(text)]; ok {
		return n, true
	}
	if len(t.free) == 0 && len(t.list) == maxClusters {
		return 0, false
	}
	if t.index == nil {
		t.index = make(map[string]uint32)
	}
	s := string(text)
	n = uint32(len(t.list))
	if last := len(t.free) - 1; last >= 0 {
		n = t.free[last]
		t.free = t.free[:last]
		t.list[n] = s
	} else {
		t.list = append(t.list, s)
	}
	t.index[s] = n
	return n, true
}

// sweep frees the numbers that are not in the set.
func (t *clusters) sweep(used set, room int) {
	t.free = t.free[:0]
	for n := len(t.list) - 1; n >= 0; n-- {
		if !used.has(uint32(n)) {
			delete(t.index, t.list[n])
			t.list[n] = ""
			t.free = append(t.free, uint32(n))
		}
	}
	t.limit = int32(max(2*(len(t.list)-len(t.free)), room))
	t.wait = int32(room)
}

// appendText appends the text of c to dst: nothing if it is empty.
func (t *clusters) appendText(dst []byte, c cell) []byte {
	switch {
	case c&clustered != 0:
		return append(dst, t.list[c.rune()]...)
	case c.hasContent():
		return utf8.AppendRune(dst, c.rune())
	}
	return dst
}

// join returns c with the character r joined to what it holds.
func (t *clusters) join(c cell, r rune) cell {
	if !c.hasContent() {
		return c | cell(r)
	}
	var buf [maxCluster + utf8.UTFMax]byte
	text := utf8.AppendRune(t.appendText(buf[:0], c), r)
	if len(text) > maxCluster {
		return c
	}
	n, ok := t.number(text)
	if !ok {
		return c
	}
	return c&^contentMask | clustered | cell(n)
}
