package vt

// minSweep is the number of styles or clusters that a table may hold before it
// is worth looking for those not in use any more.
const minSweep = 1024

// styles gives each Style on the screen a number, so that a cell needs no more
// than that. Number 0 is the plain Style. The zero value is ready to use.
type styles struct {
	list   []Style       // by number
	packed []packedStyle // the same; empty if not known yet
	free   []uint32      // numbers not in use
	index  []uint32      // a hash table of numbers, 0 where there is none
	limit  int           // how many there may be before full
}

// get returns the Style with a number.
func (t *styles) get(n uint32) Style {
	if n == 0 {
		return Style{}
	}
	return t.list[n]
}

// full reports whether it is time for a sweep.
func (t *styles) full() bool { return len(t.list)-len(t.free) >= max(t.limit, minSweep) }

// number returns the number of a Style, a new one if it has none.
func (t *styles) number(st *Style) uint32 {
	a, b := st.words()
	if a|b == 0 {
		return 0
	}
	if len(t.list)*2 >= len(t.index) {
		t.rehash(max(16, len(t.list)*4))
	}
	mask := uint32(len(t.index) - 1)
	i := mix(a, b) & mask
	for ; t.index[i] != 0; i = (i + 1) & mask {
		n := t.index[i]
		if c, d := t.list[n].words(); c == a && d == b {
			return n
		}
	}
	n := t.add(*st)
	t.index[i] = n
	return n
}

func (t *styles) add(st Style) uint32 {
	if last := len(t.free) - 1; last >= 0 {
		n := t.free[last]
		t.free = t.free[:last]
		t.list[n], t.packed[n] = st, packedStyle{}
		return n
	}
	if len(t.list) == 0 {
		t.list = append(t.list, Style{})
		t.packed = append(t.packed, packedStyle{})
	}
	t.list = append(t.list, st)
	t.packed = append(t.packed, packedStyle{})
	return uint32(len(t.list) - 1)
}

// rehash makes the index anew, with room for size numbers or a little more.
func (t *styles) rehash(size int) {
	n := 16
	for n < size {
		n *= 2
	}
	t.index = make([]uint32, n)
	mask := uint32(n - 1)
	for number, st := range t.list {
		if st == (Style{}) {
			continue // number 0, or free
		}
		i := mix(st.words()) & mask
		for t.index[i] != 0 {
			i = (i + 1) & mask
		}
		t.index[i] = uint32(number)
	}
}

// sweep frees the numbers that are not in the set. The next sweep is not due
// before as many again were added, or room.
func (t *styles) sweep(used set, room int) {
	if len(t.list) == 0 {
		return
	}
	t.free = t.free[:0]
	for n := len(t.list) - 1; n > 0; n-- {
		if !used.has(uint32(n)) {
			t.list[n] = Style{}
			t.free = append(t.free, uint32(n))
		}
	}
	t.limit = max(2*(len(t.list)-len(t.free)), room)
	t.rehash(len(t.index))
}

// words returns the bits of st.
func (st *Style) words() (a, b uint64) {
	a = uint64(st.Fg) | uint64(st.Bg)<<32
	b = uint64(st.UnderlineColor) | uint64(st.Attr)<<32 | uint64(st.link)<<48
	return a, b
}

// mix hashes the bits of a style.
func mix(a, b uint64) uint32 {
	h := a*0x9E3779B97F4A7C15 ^ b*0xC2B2AE3D27D4EB4F
	return uint32(h>>32) ^ uint32(h>>11)
}

// A set is a set of numbers.
type set []uint64

func newSet(size int) set       { return make(set, (size+63)/64) }
func (s set) add(n uint32)      { s[n/64] |= 1 << (n % 64) }
func (s set) has(n uint32) bool { return s[n/64]>>(n%64)&1 != 0 }
