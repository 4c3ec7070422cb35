package regex

import "unicode/utf8"

// literals returns the longest text that every match of root contains, the text that every match
// begins with, and that text again as all if it is the whole pattern.
func literals(root *node) (need, prefix, all []byte) {
	subs := root.flat(nil)
	var run []byte
	whole := true
	for _, n := range subs {
		// A bad byte of a pattern must not be found inside a character.
		if n.op == opChar && n.c < badByte {
			run = utf8.AppendRune(run, n.c)
			if whole {
				prefix = run
			}
			continue
		}
		whole = false
		if len(run) > len(need) {
			need = run
		}
		run = nil
	}
	if len(run) > len(need) {
		need = run
	}
	if whole {
		return need, need, need
	}
	return need, prefix, nil
}

// flat returns what n matches one after the other.
func (n *node) flat(subs []*node) []*node {
	switch n.op {
	case opEmpty:
		return subs
	case opConcat:
		for _, s := range n.subs {
			subs = s.flat(subs)
		}
		return subs
	}
	return append(subs, n)
}

// oneByte returns the bytes that root matches if it always matches one byte, or nil.
func oneByte(root *node) *[256]bool {
	subs := root.flat(nil)
	if len(subs) != 1 || subs[0].op != opSet || len(subs[0].set.ranges) > 0 {
		return nil
	}
	var in [256]bool
	copy(in[:], subs[0].set.ascii[:])
	return &in
}
