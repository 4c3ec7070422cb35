package regex

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// A dfa says whether a text contains a match; or, if it is anchored, where the longest match ends
// that begins at a given place. Its states are built when the text first needs them.
type dfa struct {
	prog   *program
	bounds []symbol // symbols from 128 on fall into classes that begin at these
	states map[string]*dstate
	first  *dstate
	size   int // transitions held by states

	// Of firstLine, for lines that end with delim.
	begin *dstate    // where each line begins
	stays *[256]bool // the bytes after which it begins again
	delim byte

	anchored bool
	starts   [4]*dstate // of an anchored one, by the kind of the symbol before
	begins   *[256]bool // the bytes that a match can begin with, if no assertion asks for more
	left     int        // steps until it gives up

	// For closing over instructions that consume nothing.
	seen  []uint32
	round uint32
	stack []int32
	list  []int32
	key   []byte
}

// A dstate is a set of instructions that wait for the next symbol, not yet closed: what an
// assertion says depends on that symbol. insts is sorted.
type dstate struct {
	insts []int32
	kind  kind // of the symbol before
	next  []*dstate
	ends  [4]byte // by the kind of the symbol behind it: whether a match can end here
}

// matched is the state that nothing leaves.
var matched = &dstate{}

// maxTransitions bounds the memory of a dfa; one costs 8 bytes. When there are more it starts
// afresh.
const maxTransitions = 1 << 19

func newDFA(p *program) *dfa {
	d := &dfa{prog: p, seen: make([]uint32, len(p.insts))}
	d.bounds = append(d.bounds, utf8.RuneSelf, badByte)
	for i := range p.insts {
		switch in := &p.insts[i]; in.op {
		case instChar:
			d.bound(in.c, in.c)
		case instSet:
			for r := in.set.ranges; len(r) > 0; r = r[2:] {
				d.bound(r[0], r[1])
			}
		}
	}
	if p.words {
		for r := wordSet().ranges; len(r) > 0; r = r[2:] {
			d.bound(r[0], r[1])
		}
	}
	slices.Sort(d.bounds)
	d.bounds = slices.Compact(d.bounds)
	d.reset()
	return d
}

func (d *dfa) bound(lo, hi symbol) {
	if hi >= utf8.RuneSelf {
		d.bounds = append(d.bounds, max(lo, utf8.RuneSelf), hi+1)
	}
}

func (d *dfa) reset() {
	d.states = map[string]*dstate{}
	d.size = 0
	d.first = d.state(nil, kindNone)
	d.starts = [4]*dstate{}
	d.begins, d.stays = nil, nil
}

// class numbers the symbols that the program can't tell apart.
func (d *dfa) class(c symbol) int {
	if c < utf8.RuneSelf {
		return int(c)
	}
	i, found := slices.BinarySearch(d.bounds, c)
	if !found {
		i--
	}
	return utf8.RuneSelf + i
}

// match reports whether text contains a match.
func (d *dfa) match(text []byte) bool {
	s := d.first
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			i++
			n := s.next[c]
			if n == nil {
				n = d.step(s, symbol(c))
			}
			if s = n; s == matched {
				return true
			}
			continue
		}
		c, n := next(text[i:])
		i += n
		k := d.class(c)
		t := s.next[k]
		if t == nil {
			t = d.step(s, c)
		}
		if s = t; s == matched {
			return true
		}
	}
	return d.ends(s, kindNone)
}

// firstLine returns where the first line of p begins that contains a match, or len(p).
func (d *dfa) firstLine(p []byte, delim byte) int {
	if d.stays == nil || d.delim != delim {
		d.begin, d.stays, d.delim = d.first, nil, delim
		if !d.prog.asserts {
			d.begin = d.state(nil, kindOther) // where all that begins no match leads, too
		}
		d.stays = d.staying(d.begin)
	}
	begin, stays := d.begin, d.stays
	s := begin
	for i := 0; i < len(p); {
		if s == begin {
			for i < len(p) && stays[p[i]] {
				i++
			}
			if i == len(p) {
				break
			}
		}
		symb, n := symbol(p[i]), 1
		class := int(symb)
		switch {
		case p[i] == delim:
			if d.ends(s, kindNone) {
				return startOfLine(p[:i], delim)
			}
			i++
			s = begin
			continue
		case class >= utf8.RuneSelf:
			symb, n = next(p[i:])
			class = d.class(symb)
		}
		t := s.next[class]
		if t == nil {
			t = d.step(s, symb)
		}
		if s = t; s == matched {
			return startOfLine(p[:i], delim)
		}
		i += n
	}
	if start := startOfLine(p, delim); start < len(p) && d.ends(s, kindNone) {
		return start
	}
	return len(p)
}

func startOfLine(p []byte, delim byte) int { return bytes.LastIndexByte(p, delim) + 1 }

// staying returns the bytes after which begin, where each line begins, is the state again.
func (d *dfa) staying(begin *dstate) *[256]bool {
	var on [256]bool
	for c := range utf8.RuneSelf {
		if begin.next[c] == nil {
			d.step(begin, symbol(c))
		}
		on[c] = begin.next[c] == begin
	}
	on[d.delim] = !d.ends(begin, kindNone)
	return &on
}

// step returns the state after s and c.
func (d *dfa) step(s *dstate, c symbol) *dstate {
	k := kindOf(c)
	closed, ok := d.close(s, k)
	t := matched
	if d.anchored || !ok {
		var after []int32
		for _, pc := range closed {
			in := &d.prog.insts[pc]
			if in.op == instChar && in.c == c || in.op == instSet && in.set.has(c) {
				after = append(after, in.out)
			}
		}
		if d.anchored && len(after) == 0 {
			s.next[d.class(c)] = dead
			return dead
		}
		slices.Sort(after)
		if d.size > maxTransitions {
			d.reset() // s lives on until the caller leaves it
		}
		t = d.state(slices.Compact(after), k)
	}
	s.next[d.class(c)] = t
	return t
}

// state returns the state of a set, which is kept.
func (d *dfa) state(insts []int32, k kind) *dstate {
	if !d.prog.asserts && k != kindNone {
		k = kindOther // fewer states
	}
	d.key = append(d.key[:0], byte(k))
	for _, pc := range insts {
		d.key = binary.LittleEndian.AppendUint32(d.key, uint32(pc))
	}
	if s := d.states[string(d.key)]; s != nil {
		return s
	}
	s := &dstate{insts: insts, kind: k, next: make([]*dstate, utf8.RuneSelf+len(d.bounds))}
	d.states[string(d.key)] = s
	d.size += len(s.next) + len(insts)
	return s
}

// close follows what consumes nothing, from s and from the program's start, given the kind of the
// symbol behind it. It reports whether that leads to a match. The list is valid until the next
// call; where a match is all that counts, there is none.
func (d *dfa) close(s *dstate, after kind) (list []int32, matches bool) {
	d.round++
	list = d.list[:0]
	for i := len(s.insts); i >= 0; i-- {
		pc := d.prog.start
		if i < len(s.insts) {
			pc = s.insts[i]
		} else if d.anchored {
			continue
		}
		d.stack = append(d.stack[:0], pc)
		for len(d.stack) > 0 {
			pc := d.stack[len(d.stack)-1]
			d.stack = d.stack[:len(d.stack)-1]
			if d.seen[pc] == d.round {
				continue
			}
			d.seen[pc] = d.round
			switch in := &d.prog.insts[pc]; in.op {
			case instMatch:
				if !d.anchored {
					return nil, true
				}
				matches = true
			case instSplit:
				d.stack = append(d.stack, in.arg, in.out)
			case instSave:
				d.stack = append(d.stack, in.out)
			case instAssert:
				if in.as.holds(s.kind, after, d.prog.multiline) {
					d.stack = append(d.stack, in.out)
				}
			default:
				list = append(list, pc)
			}
		}
	}
	d.list = list
	return list, matches
}
