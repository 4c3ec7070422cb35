package regex

import "bytes"

// maxSteps bounds one search that has to backtrack: about a second.
const maxSteps = 20_000_000

// A backtracker searches where there are back-references, look-around or atomic groups: all ways
// from each start. No place can be left out as visited, because what a group holds decides how it
// goes on.
type backtracker struct {
	*program
	text  []byte
	cap   []int
	best  []int
	jobs  []job
	steps int
}

// backtrack returns the edges of the first match from from on, or nil.
func (re *Regexp) backtrack(text []byte, from int) ([]int, error) {
	b := &re.back
	b.program, b.text, b.steps = re.prog, text, 0
	b.cap = resize(b.cap, re.prog.slots)
	for start := from; ; {
		b.jobs = b.jobs[:0]
		ok, err := b.run(re.prog.start, start, !b.first)
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

// run runs from an instruction to a match: the first one, or the longest. What it finds is in
// b.best; if it fails, the slots are as they were.
func (b *backtracker) run(pc int32, pos int, longest bool) (bool, error) {
	found := false
	base := len(b.jobs)
	b.jobs = append(b.jobs, job{pc: pc, slot: -1, pos: pos})
	for len(b.jobs) > base {
		j := b.jobs[len(b.jobs)-1]
		b.jobs = b.jobs[:len(b.jobs)-1]
		if j.slot >= 0 {
			b.cap[j.slot] = j.pos
			continue
		}
		end, ok, err := b.way(j.pc, j.pos)
		if err != nil {
			return false, err
		}
		if !ok || found && end <= b.best[1] {
			continue
		}
		found = true
		b.best = append(b.best[:0], b.cap...)
		b.best[1] = end
		if !longest || end == len(b.text) {
			b.jobs = b.jobs[:base]
			return true, nil
		}
	}
	return found, nil
}

// way follows one way until it ends, and returns where. Other ways are left in b.jobs.
func (b *backtracker) way(pc int32, pos int) (end int, ok bool, err error) {
	for {
		if b.steps++; b.steps > maxSteps {
			return 0, false, ErrTooComplex
		}
		in := &b.insts[pc]
		pc = in.out
		switch in.op {
		case instMatch:
			return pos, true, nil
		case instChar, instSet:
			if pos == len(b.text) {
				return 0, false, nil
			}
			c, n := next(b.text[pos:])
			if in.op == instChar && c != in.c || in.op == instSet && !in.set.has(c) {
				return 0, false, nil
			}
			pos += n
		case instSplit:
			b.jobs = append(b.jobs, job{pc: in.arg, slot: -1, pos: pos})
		case instSave, instMark:
			b.jobs = append(b.jobs, job{slot: in.arg, pos: b.cap[in.arg]})
			b.cap[in.arg] = pos
		case instCheck:
			if b.cap[in.arg] == pos {
				return 0, false, nil
			}
		case instAssert:
			if !in.as.holds(before(b.text, pos), after(b.text, pos), b.multiline) {
				return 0, false, nil
			}
		case instBackref:
			lo, hi := b.cap[2*in.arg], b.cap[2*in.arg+1]
			if lo < 0 || hi < lo || !b.same(b.text[lo:hi], b.text[pos:]) {
				return 0, false, nil
			}
			pos += hi - lo
		case instAtomic:
			if pos, ok, err = b.atomic(in, pos); !ok || err != nil {
				return 0, false, err
			}
		case instLook:
			if ok, err = b.look(in, pos); !ok || err != nil {
				return 0, false, err
			}
		}
	}
}

// atomic runs the program at in.arg and keeps what it finds first.
func (b *backtracker) atomic(in *inst, pos int) (end int, ok bool, err error) {
	saved := append([]int(nil), b.cap...)
	ok, err = b.run(in.arg, pos, false)
	if !ok || err != nil {
		copy(b.cap, saved)
		return 0, false, err
	}
	end = b.best[1]
	b.keep(saved)
	return end, true, nil
}

// keep takes over the groups of b.best, in a way that can be taken back.
func (b *backtracker) keep(saved []int) {
	found := append([]int(nil), b.best...)
	copy(b.cap, saved)
	for slot := range found {
		if slot != 1 && found[slot] != saved[slot] {
			b.jobs = append(b.jobs, job{slot: int32(slot), pos: saved[slot]})
			b.cap[slot] = found[slot]
		}
	}
}

// look reports whether an assertion about what follows, or precedes, holds.
func (b *backtracker) look(in *inst, pos int) (bool, error) {
	start := pos
	if in.behind {
		for n := in.c; n > 0; n-- {
			if start == 0 {
				return in.negate, nil
			}
			_, size := lastSize(b.text[:start])
			start -= size
		}
	}
	saved := append([]int(nil), b.cap...)
	ok, err := b.run(in.arg, start, false)
	if err != nil {
		return false, err
	}
	if ok && !in.negate {
		b.keep(saved)
	} else {
		copy(b.cap, saved)
	}
	return ok != in.negate, nil
}

// same reports whether text begins with what a group holds.
func (b *backtracker) same(group, text []byte) bool {
	if len(text) < len(group) {
		return false
	}
	if b.fold {
		return bytes.EqualFold(group, text[:len(group)])
	}
	return bytes.Equal(group, text[:len(group)])
}
