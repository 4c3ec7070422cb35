package regex

import "bytes"

// maxSteps bounds one search with back-references: about a second.
const maxSteps = 20_000_000

// backtrack searches where there are back-references: all ways from each start, the longest wins. No place
// can be left out as visited, because what a group holds decides how it goes on.
func (re *Regexp) backtrack(text []byte, from int) ([]int, error) {
	b := &re.bits
	b.cap = resize(b.cap, re.prog.slots)
	steps := 0
	for start := from; ; {
		ok, err := re.backtrackFrom(text, start, &steps)
		if err != nil {
			return nil, err
		}
		if ok {
			return b.best, nil
		}
		if start == len(text) {
			return nil, nil
		}
		_, n := next(text[start:])
		start += n
	}
}

func (re *Regexp) backtrackFrom(text []byte, start int, steps *int) (bool, error) {
	p, b := re.prog, &re.bits
	found := false
	b.jobs = append(b.jobs[:0], job{pc: p.start, slot: -1, pos: start})
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
			if *steps++; *steps > maxSteps {
				return false, ErrTooComplex
			}
			in := &p.insts[pc]
			pc = in.out
			switch in.op {
			case instMatch:
				if !found || pos > b.best[1] {
					b.best = append(b.best[:0], b.cap...)
					found = true
				}
				if pos == len(text) {
					return true, nil
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
			case instSave, instMark:
				b.jobs = append(b.jobs, job{slot: in.arg, pos: b.cap[in.arg]})
				b.cap[in.arg] = pos
			case instCheck:
				if b.cap[in.arg] == pos {
					break way
				}
			case instAssert:
				if !in.as.holds(before(text, pos), after(text, pos), p.multiline) {
					break way
				}
			case instBackref:
				lo, hi := b.cap[2*in.arg], b.cap[2*in.arg+1]
				if lo < 0 || hi < lo || !re.same(text[lo:hi], text[pos:]) {
					break way
				}
				pos += hi - lo
			}
		}
	}
	return found, nil
}

// same reports whether text begins with what a group holds.
func (re *Regexp) same(group, text []byte) bool {
	if len(text) < len(group) {
		return false
	}
	if re.prog.fold {
		return bytes.EqualFold(group, text[:len(group)])
	}
	return bytes.Equal(group, text[:len(group)])
}
