package regex

import (
	"bytes"
	"unicode/utf8"
)

// FindEdges is Find without the groups: loc has the edges of the match only. That is much faster.
func (re *Regexp) FindEdges(text []byte, from int) (loc []int, err error) {
	if re.literal != nil || re.backs || re.prog.first {
		loc, err = re.Find(text, from)
		return loc[:min(2, len(loc))], err
	}
	if re.single != nil {
		for i := from; i < len(text); i++ {
			if re.single[text[i]] {
				re.loc = append(re.loc[:0], i, i+1)
				return re.loc, nil
			}
		}
		return nil, nil
	}
	if len(re.need) > 0 && !bytes.Contains(text[from:], re.need) {
		return nil, nil
	}
	if re.edges == nil {
		re.edges = newDFA(re.prog)
		re.edges.anchored = true
	}
	d := re.edges
	d.left = 16*(len(text)-from) + 1<<10
	for i := from; ; {
		i = re.candidate(text, i)
		if i > len(text) {
			return nil, nil
		}
		end := d.longest(text, i)
		if d.left <= 0 {
			loc, err = re.slow(text, i)
			return loc[:min(2, len(loc))], err
		}
		if end >= 0 {
			re.loc = append(re.loc[:0], i, end)
			return re.loc, nil
		}
		if i == len(text) {
			return nil, nil
		}
		_, n := next(text[i:])
		i += n
	}
}

// candidate returns the first place from i on where a match could begin, or one behind the text's
// end.
func (re *Regexp) candidate(text []byte, i int) int {
	if len(re.prefix) > 0 {
		n := bytes.Index(text[i:], re.prefix)
		if n < 0 {
			return len(text) + 1
		}
		return i + n
	}
	if re.prog.asserts {
		return i
	}
	s := re.edges.starts[kindOther]
	if s == nil || s.ends[kindOther] != endsNot {
		return i
	}
	if re.edges.begins == nil {
		re.edges.begins = re.edges.leaving(s)
	}
	for begins := re.edges.begins; i < len(text); i++ {
		if begins[text[i]] {
			break
		}
	}
	return i
}

// leaving returns the bytes after which s may still lead to a match.
func (d *dfa) leaving(s *dstate) *[256]bool {
	var on [256]bool
	for c := range on {
		if c < utf8.RuneSelf && s.next[c] == nil {
			d.step(s, symbol(c))
		}
		on[c] = c >= utf8.RuneSelf || s.next[c] != dead
	}
	return &on
}

// dead is the state that leads to no match.
var dead = &dstate{}

// Whether a match can end in a state.
const (
	endsUnknown = iota
	endsNot
	endsHere
)

// longest returns where the longest match ends that begins at start, or -1. It gives up when d.left
// steps are used up.
func (d *dfa) longest(text []byte, start int) int {
	k := kindOther
	if d.prog.asserts {
		k = before(text, start)
	}
	s := d.starts[k]
	if s == nil {
		s = d.state([]int32{d.prog.start}, k)
		d.starts[k] = s
	}
	end := -1
	i := start
	for k = kindOther; i < len(text); {
		c, n := symbol(text[i]), 1
		class := int(c)
		if c >= utf8.RuneSelf {
			c, n = next(text[i:])
			class = d.class(c)
		}
		if d.prog.asserts {
			k = kindOf(c)
		}
		if s.ends[k] != endsNot && d.ends(s, k) {
			end = i
		}
		t := s.next[class]
		if t == nil {
			t = d.step(s, c)
		}
		if s = t; s == dead {
			break
		}
		i += n
	}
	d.left -= i - start + 1
	if s != dead {
		if d.prog.asserts {
			k = kindNone
		}
		if d.ends(s, k) {
			end = i
		}
	}
	return end
}

// ends reports whether a match can end in s, given the kind of what follows.
func (d *dfa) ends(s *dstate, after kind) bool {
	if s.ends[after] == endsUnknown {
		s.ends[after] = endsNot
		if _, ok := d.close(s, after); ok {
			s.ends[after] = endsHere
		}
	}
	return s.ends[after] == endsHere
}
