package regex

// A bitstate searches by trying one way after the other, and never tries an instruction twice at
// the same place of the text: whoever was there before either failed or led to a match at least as
// good.
type bitstate struct {
	visited []uint64
	jobs    []job
	cap     []int
	best    []int
}

// A job is a way not yet tried; with slot >= 0, a slot to restore.
type job struct {
	pc   int32
	slot int32
	pos  int
}

// maxVisited is the size in bits up to which the search is worth its clean-up.
const maxVisited = 1 << 18

func (b *bitstate) fits(p *program, n int) bool { return len(p.insts)*(n+1) <= maxVisited }

// find returns the edges of the leftmost-longest match from from on, or nil.
func (b *bitstate) find(p *program, text []byte, from int) []int {
	words := (len(p.insts)*(len(text)-from+1) + 63) / 64
	if cap(b.visited) < words {
		b.visited = make([]uint64, words)
	}
	b.visited = b.visited[:words]
	clear(b.visited)
	b.cap = resize(b.cap, p.slots)
	for i := from; i <= len(text); {
		if b.try(p, text, from, i) {
			return b.best
		}
		if i == len(text) {
			break
		}
		_, n := next(text[i:])
		i += n
	}
	return nil
}

func resize(s []int, n int) []int {
	if cap(s) < n {
		s = make([]int, n)
	}
	s = s[:n]
	for i := range s {
		s[i] = -1
	}
	return s
}

// try searches for the longest match that begins at start.
func (b *bitstate) try(p *program, text []byte, from, start int) bool {
	found := false
	b.jobs = append(b.jobs[:0], job{pc: p.start, slot: -1, pos: start})
	width := len(text) - from + 1
	for len(b.jobs) > 0 {
		j := b.jobs[len(b.jobs)-1]
		b.jobs = b.jobs[:len(b.jobs)-1]
		if j.slot >= 0 {
			b.cap[j.slot] = j.pos
			continue
		}
		pc, pos := j.pc, j.pos
	way:
		for {
			n := int(pc)*width + pos - from
			if b.visited[n/64]&(1<<(n%64)) != 0 {
				break
			}
			b.visited[n/64] |= 1 << (n % 64)
			in := &p.insts[pc]
			pc = in.out
			switch in.op {
			case instMatch:
				if !found || pos > b.best[1] {
					b.best = append(b.best[:0], b.cap...)
					found = true
				}
				if pos == len(text) || p.first {
					return true
				}
				break way
			case instChar, instSet:
				if pos == len(text) {
					break way
				}
				c, n := next(text[pos:])
				if in.op == instChar && c != in.c || in.op == instSet && !in.set.has(c) {
					break way
				}
				pos += n
			case instSplit:
				b.jobs = append(b.jobs, job{pc: in.arg, slot: -1, pos: pos})
			case instSave:
				b.jobs = append(b.jobs, job{slot: in.arg, pos: b.cap[in.arg]})
				b.cap[in.arg] = pos
			case instAssert:
				if !in.as.holds(before(text, pos), after(text, pos), p.multiline) {
					break way
				}
			}
		}
	}
	return found
}
