package vt

import (
	"slices"
	"unicode/utf8"
)

// A history keeps the rows that scrolled out of the main screen: packed, with no
// pointer but that to a slab of many. The oldest slab goes when there is no more
// room. The zero value keeps nothing.
type history struct {
	limit   int      // bytes of memory that slabs may have
	slabs   []slab   // the oldest first
	size    int      // bytes of memory that slabs have
	first   uint64   // number of the oldest row; that of the first ever is 0
	count   int      // rows
	stale   uint64   // rows with numbers below are of another width than the screen
	scratch *scratch // nil until it is needed
}

// A scratch is memory for the row that is being packed or handed on.
type scratch struct {
	text   []byte
	styles []byte
}

// A slab holds rows, one after another: the length of what packRow made of it,
// with two flags in the lowest bits, and that.
type slab struct {
	data []byte
	rows int
}

const (
	rowWrapped = 1 << iota // it continues the row above
	rowPlain               // nothing but ASCII in the plain style
	flagBits   = iota
)

const (
	minSlab = 1 << 10
	maxSlab = 64 << 10
)

// push keeps row r of s as the newest, after pushPlain could not.
func (h *history) push(s *Screen, r *row) {
	flags := 0
	if r.wrapped {
		flags = rowWrapped
	}
	packed, plain := s.packRow(r)
	if plain {
		flags |= rowPlain
	}
	h.scratch.text = packed
	h.append(packed, flags)
}

// pushPlain keeps a row that is all ASCII in the plain style, in one go. It
// returns false if r is not, or there is no room.
func (h *history) pushPlain(r *row) bool {
	if len(h.slabs) == 0 || r.rest != 0 {
		return false
	}
	last := &h.slabs[len(h.slabs)-1]
	start, header := len(last.data), 1
	v := len(r.cells)<<flagBits | rowPlain
	if r.wrapped {
		v |= rowWrapped
	}
	if v >= 0x80 {
		header = 2
	}
	end := start + header + len(r.cells)
	if v >= 0x4000 || end > cap(last.data) {
		return false
	}
	data := last.data[:end]
	text := data[start+header:]
	for i, c := range r.cells[:len(text)] {
		if c-1 >= utf8.RuneSelf-1 {
			return false
		}
		text[i] = byte(c)
	}
	data[start] = byte(v)
	if header == 2 {
		data[start] = byte(v) | 0x80
		data[start+1] = byte(v >> 7)
	}
	last.data = data
	last.rows++
	h.count++
	return true
}

func (h *history) append(packed []byte, flags int) {
	const header = 5 // at the most
	size := header + len(packed)
	last := h.slabFor(size)
	if last == nil {
		return
	}
	last.data = appendUvarint(last.data, len(packed)<<flagBits|flags)
	last.data = append(last.data, packed...)
	last.rows++
	h.count++
}

// slabFor returns a slab with room for size bytes, nil if the limit is below
// that.
func (h *history) slabFor(size int) *slab {
	if n := len(h.slabs); n > 0 {
		if last := &h.slabs[n-1]; cap(last.data)-len(last.data) >= size {
			return last
		}
	}
	return h.newSlab(size)
}

func (h *history) newSlab(size int) *slab {
	full := min(max(h.limit/16, minSlab), maxSlab)
	if n := len(h.slabs); n == 1 && cap(h.slabs[0].data) < full {
		// The first one grows, since most terminals never fill it.
		last := &h.slabs[0]
		h.size -= cap(last.data)
		last.data = slices.Grow(last.data, max(size, min(cap(last.data), full-cap(last.data))))
		h.size += cap(last.data)
		return last
	}
	want := max(size, full)
	if len(h.slabs) == 0 {
		want = max(size, minSlab)
	}
	var memory []byte
	for len(h.slabs) > 0 && h.size+want > h.limit {
		memory = h.dropOldest()
	}
	if h.size+want > h.limit {
		return nil
	}
	if cap(memory) < want {
		memory = make([]byte, 0, want)
	}
	h.slabs = append(h.slabs, slab{data: memory})
	h.size += cap(memory)
	return &h.slabs[len(h.slabs)-1]
}

// dropOldest forgets the oldest slab and returns its memory.
func (h *history) dropOldest() []byte {
	old := h.slabs[0]
	h.slabs = slices.Delete(h.slabs, 0, 1)
	h.first += uint64(old.rows)
	h.count -= old.rows
	h.size -= cap(old.data)
	return old.data[:0]
}

// clear forgets all rows. A slab that is still small is kept for the next, since
// programs that clear the screen do so time and again.
func (h *history) clear() {
	h.first += uint64(h.count)
	var kept []slab
	if len(h.slabs) > 0 && cap(h.slabs[0].data) <= 2*minSlab {
		kept = h.slabs[:1]
		clear(h.slabs[1:])
		kept[0] = slab{data: kept[0].data[:0]}
	}
	h.slabs, h.size, h.count = kept, 0, 0
	for _, b := range kept {
		h.size += cap(b.data)
	}
}

// nextPacked returns the row at the start of data, and what comes after it.
func nextPacked(data []byte) (packed []byte, flags int, rest []byte) {
	v, data := uvarint(data)
	n := v >> flagBits
	return data[:n], v & (1<<flagBits - 1), data[n:]
}

// each calls f for the rows numbered from from to before to, as far as they are
// there.
func (h *history) each(from, to uint64, f func(packed []byte, flags int)) {
	number := h.first
	for i := range h.slabs {
		b := &h.slabs[i]
		if number+uint64(b.rows) <= from {
			number += uint64(b.rows)
			continue
		}
		for data := b.data; len(data) > 0; number++ {
			if number >= to {
				return
			}
			var packed []byte
			var flags int
			packed, flags, data = nextPacked(data)
			if number >= from {
				f(packed, flags)
			}
		}
	}
}

// truncate forgets the n newest rows.
func (h *history) truncate(n int) {
	n = min(n, h.count)
	for n > 0 {
		last := &h.slabs[len(h.slabs)-1]
		if n < last.rows {
			data := last.data
			for range last.rows - n {
				_, _, data = nextPacked(data)
			}
			last.data = last.data[:len(last.data)-len(data)]
			last.rows -= n
			h.count -= n
			return
		}
		n -= last.rows
		h.count -= last.rows
		h.size -= cap(last.data)
		h.slabs = h.slabs[:len(h.slabs)-1]
	}
}
