package order

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// A text is lines, all of which end with a delimiter.
type text struct {
	data   []byte
	starts []int // where each line begins, and where one behind the last would
}

// newText takes data apart.
func newText(data []byte, delim byte) *text {
	t := &text{data: data, starts: make([]int, 1, bytes.Count(data, []byte{delim})+1)}
	for at := 0; at < len(data); {
		n := bytes.IndexByte(data[at:], delim)
		at += n + 1
		t.starts = append(t.starts, at)
	}
	return t
}

func (t *text) len() int { return len(t.starts) - 1 }

// line returns line i without its end.
func (t *text) line(i uint32) []byte { return t.data[t.starts[i] : t.starts[i+1]-1] }

// ended returns line i with its end.
func (t *text) ended(i uint32) []byte { return t.data[t.starts[i]:t.starts[i+1]] }

// An entry is a line to be sorted: its number, and its rank by the key that is being looked at,
// which decides most comparisons without a look at the line. Of two lines with different ranks the
// one with the lower rank comes first; those with equal ranks have equal keys if both are exact.
type entry struct {
	rank  uint64
	line  uint32
	exact bool
	again bool // it is equal to the entry before it
}

// sortEntries returns the lines of t in their order. Equal ones stay as they were, and know that
// they are equal if they must be unique.
func (s *sorter) sortEntries(t *text) []entry {
	r := &ranker{sorter: s, text: t, keys: s.keys, spare: make([]entry, t.len())}
	if len(s.keys) == 0 || !s.unique && !s.stable {
		// What compares last is all of the line.
		r.keys = append(r.keys[:len(r.keys):len(r.keys)], &key{endField: -1, ordering: ordering{reverse: s.global.reverse}})
	}
	if slices.ContainsFunc(r.keys, func(k *key) bool { return !k.whole() }) {
		r.cuts = make([]cut, t.len())
	}
	entries := make([]entry, t.len())
	for i := range entries {
		entries[i].line = uint32(i)
	}
	if !s.inOrder {
		r.sort(entries, 0, 0)
	}
	return entries
}

// A ranker sorts by one key after the other, and by long keys a few bytes at a time: those that are
// equal so far are a group that is sorted again.
type ranker struct {
	*sorter
	text  *text
	keys  []*key
	cuts  []cut // the keys that are being looked at, by line, where they are not all of it
	spare []entry
}

// A cut is where a key begins and ends in all of the text.
type cut struct{ from, to int }

// whole reports whether the key is all of a line.
func (k *key) whole() bool {
	return k.startField == 0 && k.startChar == 0 && k.endField < 0 && !k.skipStart
}

// key returns what k is of a line, which has been cut.
func (r *ranker) key(k *key, line uint32) []byte {
	if k.whole() {
		return r.text.line(line)
	}
	c := r.cuts[line]
	return r.text.data[c.from:c.to]
}

// few are so few entries that they are best compared with each other.
const few = 8

// sort sorts a group by key number n and those behind it, given how many bytes the keys are known
// to share.
func (r *ranker) sort(group []entry, n, shared int) {
	if n == len(r.keys) {
		for i := 1; i < len(group); i++ {
			group[i].again = true
		}
		return
	}
	k := r.keys[n]
	if len(group) <= few || !k.ranks() {
		r.compareAll(group)
		return
	}
	if shared == 0 && !k.whole() {
		for _, e := range group {
			p := r.text.line(e.line)
			lo, hi := k.edges(p, r.tab)
			at := r.text.starts[e.line]
			r.cuts[e.line] = cut{at + lo, at + hi}
		}
	}
	if k.text() {
		shared = r.sharedPrefix(group, k, shared)
	}
	for i := range group {
		e := &group[i]
		e.rank, e.exact = r.rank(k, r.key(k, e.line), shared)
		if k.reverse {
			e.rank = ^e.rank
		}
	}
	sortRanks(group, r.spare)
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
			r.compareAll(part)
		}
		group = group[same:]
	}
}

// compareAll sorts entries by looking at their lines.
func (r *ranker) compareAll(group []entry) {
	slices.SortFunc(group, func(a, b entry) int {
		return cmp.Or(r.compare(r.text.line(a.line), r.text.line(b.line)), cmp.Compare(a.line, b.line))
	})
	if !r.unique {
		return
	}
	for i := 1; i < len(group); i++ {
		group[i].again = r.compare(r.text.line(group[i-1].line), r.text.line(group[i].line)) == 0
	}
}

// text reports whether keys are compared byte by byte, perhaps without their case.
func (o *ordering) text() bool { return o.mode == 0 && !o.dict && !o.print }

// ranks reports whether keys have ranks.
func (o *ordering) ranks() bool {
	return o.text() || !o.dict && !o.print && !o.fold && (o.mode == 'n' || o.mode == 'M' || o.mode == 'R')
}

// rankBytes is how many bytes of a text a rank has.
const rankBytes = 7

// rank ranks a key that has a rank. Its first bytes are left out if it is a text.
func (r *ranker) rank(k *key, p []byte, shared int) (rank uint64, exact bool) {
	switch {
	case k.text():
		p = p[shared:]
		var folded [rankBytes + 1]byte
		if k.fold {
			p = folded[:copy(folded[:], p)]
			for i, c := range p {
				p[i] = upper(c)
			}
		}
		if len(p) > rankBytes {
			return binary.BigEndian.Uint64(p)&^0xff | (rankBytes + 1), false
		}
		rank = uint64(len(p)) // what ends earlier comes first
		for i, c := range p {
			rank |= uint64(c) << (56 - 8*i)
		}
		return rank, true
	case k.mode == 'n':
		return parseNumber(p).rank()
	case k.mode == 'M':
		return uint64(month(p)), true
	}
	return maphash.Bytes(r.seed, p), true
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

// sharedPrefix returns how many bytes all keys of a group begin with, at least known: lines of a
// log often have the same date.
func (r *ranker) sharedPrefix(group []entry, k *key, known int) int {
	first := r.key(k, group[0].line)
	n := len(first)
	for _, e := range group[1:] {
		other := r.key(k, e.line)
		n = min(n, len(other))
		for i := known; i < n; i++ {
			if other[i] != first[i] && !(k.fold && upper(other[i]) == upper(first[i])) {
				n = i
			}
		}
		if n == known {
			break
		}
	}
	return n
}

// sortRanks sorts entries by rank, by one byte of it after the other from the lowest on; equal ones
// stay as they were.
func sortRanks(group, spare []entry) {
	var differ uint64 // the bits that are not the same in all ranks
	for _, e := range group {
		differ |= e.rank ^ group[0].rank
	}
	from, to := group, spare[:len(group)]
	for shift := 0; shift < 64; shift += 8 {
		if differ>>shift&0xff == 0 {
			continue
		}
		var next [256]uint32 // where the next entry with that byte goes
		for i := range from {
			next[byte(from[i].rank>>shift)]++
		}
		at := uint32(0)
		for b, n := range next {
			next[b] = at
			at += n
		}
		for i := range from {
			b := byte(from[i].rank >> shift)
			to[next[b]] = from[i]
			next[b]++
		}
		from, to = to, from
	}
	if &from[0] != &group[0] {
		copy(group, from)
	}
}
