package order

import (
	"encoding/binary"
	"hash/maphash"
)

// An entry is a line to be sorted: its number, and its rank by the key that is being looked at, which decides most
// comparisons without a look at the line. Of two lines with different ranks the one with the lower rank comes first;
// those with equal ranks have equal keys if both are exact.
type entry struct {
	rank  uint64
	line  uint32
	exact bool
}

// sortEntries returns lines in their order. Equal ones stay as they were.
func (s *sorter) sortEntries(lines [][]byte) []entry {
	r := &ranker{sorter: s, lines: lines, keys: s.keys, spare: make([]entry, len(lines))}
	if len(s.keys) == 0 || !s.unique && !s.stable {
		// What compares last is all of the line.
		r.keys = append(r.keys[:len(r.keys):len(r.keys)], &key{endField: -1, ordering: ordering{reverse: s.global.reverse}})
	}
	entries := make([]entry, len(lines))
	for i := range entries {
		entries[i].line = uint32(i)
	}
	r.sort(entries, 0, 0)
	return entries
}

// A ranker sorts by one key after the other, and by long keys a few bytes at a time: those that are equal so far are a
// group that is sorted again.
type ranker struct {
	*sorter
	lines [][]byte
	keys  []*key
	spare []entry
}

// few are so few entries that they are best compared with each other.
const few = 8

// sort sorts a group by key number n and those behind it, given how many bytes the keys are known to share.
func (r *ranker) sort(group []entry, n, shared int) {
	if n == len(r.keys) {
		return
	}
	if len(group) <= few {
		r.insert(group, r.compared)
		return
	}
	k := r.keys[n]
	if k.text() {
		shared = r.sharedPrefix(group, k, shared)
	}
	for i := range group {
		e := &group[i]
		e.rank, e.exact = r.rank(k, k.cut(r.lines[e.line], r.tab), shared)
		if k.reverse {
			e.rank = ^e.rank
		}
	}
	r.merge(group, ranked)
	for len(group) > 0 {
		same, exact := 1, group[0].exact
		for same < len(group) && group[same].rank == group[0].rank {
			exact = exact && group[same].exact
			same++
		}
		switch part := group[:same]; {
		case same == 1:
		case exact:
			r.sort(part, n+1, 0)
		case k.text():
			r.sort(part, n, shared+rankBytes)
		default:
			r.merge(part, r.compared)
		}
		group = group[same:]
	}
}

// text reports whether keys are compared byte by byte.
func (o *ordering) text() bool { return o.mode == 0 && !o.dict && !o.print && !o.fold }

// rankBytes is how many bytes of a text a rank has.
const rankBytes = 7

// rank ranks a key, whose first bytes are left out if it is a text.
func (r *ranker) rank(k *key, p []byte, shared int) (rank uint64, exact bool) {
	switch {
	case k.text():
		p = p[shared:]
		var b [8]byte
		copy(b[:rankBytes], p)
		b[rankBytes] = byte(min(len(p), rankBytes+1)) // what ends earlier comes first
		return binary.BigEndian.Uint64(b[:]), len(p) <= rankBytes
	case k.dict || k.print || k.fold:
	case k.mode == 'n':
		return parseNumber(p).rank()
	case k.mode == 'M':
		return uint64(month(p)), true
	case k.mode == 'R':
		return maphash.Bytes(r.seed, p), true
	}
	return 0, false
}

// rank orders numbers by what is before the point, up to 18 digits.
func (n number) rank() (rank uint64, exact bool) {
	const most = 1e18
	v := int64(most)
	exact = len(n.rest) == 0 && len(n.whole) <= 18
	if len(n.whole) <= 18 {
		v = 0
		for _, c := range n.whole {
			v = v*10 + int64(c-'0')
		}
	}
	if n.negative {
		v = -v
	}
	return uint64(v) + 1<<63, exact
}

// sharedPrefix returns how many bytes all keys of a group begin with, at least known: lines of a log often have the
// same date.
func (r *ranker) sharedPrefix(group []entry, k *key, known int) int {
	first := k.cut(r.lines[group[0].line], r.tab)
	n := len(first)
	for _, e := range group[1:] {
		other := k.cut(r.lines[e.line], r.tab)
		n = min(n, len(other))
		for i := known; i < n; i++ {
			if other[i] != first[i] {
				n = i
			}
		}
		if n == known {
			break
		}
	}
	return n
}

func ranked(a, b *entry) bool { return a.rank < b.rank }

func (r *ranker) compared(a, b *entry) bool { return r.compare(r.lines[a.line], r.lines[b.line]) < 0 }

// insert sorts few entries.
func (r *ranker) insert(p []entry, less func(a, b *entry) bool) {
	for i := range p {
		e, j := p[i], i
		for ; j > 0 && less(&e, &p[j-1]); j-- {
			p[j] = p[j-1]
		}
		p[j] = e
	}
}

// merge sorts by merging, which keeps equal entries in their order.
func (r *ranker) merge(p []entry, less func(a, b *entry) bool) {
	n := len(p)
	for lo := 0; lo < n; lo += few {
		r.insert(p[lo:min(lo+few, n)], less)
	}
	for width := few; width < n; width *= 2 {
		for lo := 0; lo+width < n; lo += 2 * width {
			mergeRuns(r.spare, p[lo:min(lo+2*width, n)], width, less)
		}
	}
}

// mergeRuns merges the two sorted runs p[:mid] and p[mid:]; of equal entries those of the first come first.
func mergeRuns(spare, p []entry, mid int, less func(a, b *entry) bool) {
	if !less(&p[mid], &p[mid-1]) {
		return
	}
	a := spare[:copy(spare, p[:mid])]
	b := p[mid:]
	to := p
	for len(a) > 0 && len(b) > 0 {
		if less(&b[0], &a[0]) {
			to[0], b = b[0], b[1:]
		} else {
			to[0], a = a[0], a[1:]
		}
		to = to[1:]
	}
	copy(to, a)
}
