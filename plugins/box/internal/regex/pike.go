package regex

// A pike searches long texts: it keeps one thread for each instruction and moves all of them symbol
// by symbol.
type pike struct {
	now, then threads
	stack     []job
	cap       []int
	best      []int
}

// threads is an ordered set of instructions, each with the slots of its thread.
type threads struct {
	order []int32
	index []int32 // by instruction: its place in order, if order agrees
	slots []int   // len(cap) for each place in order
}

func (t *threads) has(pc int32) bool {
	i := t.index[pc]
	return int(i) < len(t.order) && t.order[i] == pc
}

// find returns the edges of the leftmost-longest match from from on, or nil.
func (k *pike) find(p *program, text []byte, from int) []int {
	for _, t := range []*threads{&k.now, &k.then} {
		t.order = t.order[:0]
		if len(t.index) != len(p.insts) {
			t.index = make([]int32, len(p.insts))
			t.slots = make([]int, len(p.insts)*p.slots)
		}
	}
	k.cap = resize(k.cap, p.slots)
	found := false
	for pos := from; ; {
		b, a := before(text, pos), after(text, pos)
		if !found {
			k.cap = resize(k.cap, p.slots)
			k.add(p, &k.now, p.start, pos, b, a)
		}
		if len(k.now.order) == 0 && found {
			break
		}
		c, n := symbol(-1), 0
		if pos < len(text) {
			c, n = next(text[pos:])
		}
		beyond := kindNone
		if pos+n < len(text) {
			beyond = after(text, pos+n)
		}
	threads:
		for i, pc := range k.now.order {
			in := &p.insts[pc]
			slots := k.now.slots[i*p.slots : (i+1)*p.slots]
			switch in.op {
			case instMatch:
				if !found || slots[0] < k.best[0] || slots[0] == k.best[0] && (p.first || slots[1] > k.best[1]) {
					k.best = append(k.best[:0], slots...)
					found = true
				}
				if p.first {
					break threads // those that follow count less
				}
			case instChar, instSet:
				if found && slots[0] > k.best[0] || n == 0 {
					continue
				}
				if in.op == instChar && c != in.c || in.op == instSet && !in.set.has(c) {
					continue
				}
				copy(k.cap, slots)
				k.add(p, &k.then, in.out, pos+n, a, beyond)
			}
		}
		if n == 0 {
			break
		}
		k.now, k.then = k.then, k.now
		k.then.order = k.then.order[:0]
		pos += n
	}
	if !found {
		return nil
	}
	return k.best
}

// add adds pc to t, and what follows from it without consuming anything. Threads that began earlier
// come first because they were added first.
func (k *pike) add(p *program, t *threads, pc int32, pos int, before, after kind) {
	k.stack = append(k.stack[:0], job{pc: pc, slot: -1})
	for len(k.stack) > 0 {
		j := k.stack[len(k.stack)-1]
		k.stack = k.stack[:len(k.stack)-1]
		if j.slot >= 0 {
			k.cap[j.slot] = j.pos
			continue
		}
		if t.has(j.pc) {
			continue
		}
		t.index[j.pc] = int32(len(t.order))
		t.order = append(t.order, j.pc)
		copy(t.slots[(len(t.order)-1)*p.slots:], k.cap)
		switch in := &p.insts[j.pc]; in.op {
		case instSplit:
			k.stack = append(k.stack, job{pc: in.arg, slot: -1}, job{pc: in.out, slot: -1})
		case instSave:
			k.stack = append(k.stack, job{slot: in.arg, pos: k.cap[in.arg]}, job{pc: in.out, slot: -1})
			k.cap[in.arg] = pos
		case instAssert:
			if in.as.holds(before, after, p.multiline) {
				k.stack = append(k.stack, job{pc: in.out, slot: -1})
			}
		}
	}
}
