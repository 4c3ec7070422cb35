package awk

import "strings"

// A growth has strings grow that a program puts together step by step, as s = s "x" does: none is
// copied for each step. They stand in buffers with room behind them. What is written there changes
// no string that was made before, as each of them ends where its buffer ended then.
type growth struct {
	buffers [4]strings.Builder // of the strings that grew last
	next    int                // the one that is given up for another
}

const (
	growsFrom = 1 << 10 // the length of a string that is worth a buffer
	growsLone = 4 << 20 // and of one beside which there are no others, so that less is kept
)

// append returns s with more behind it. It keeps neither.
func (g *growth) append(s string, more []byte) string {
	b := g.find(s)
	if b == nil {
		b = g.begin(s, len(more))
	}
	if b.Cap()-b.Len() < len(more) {
		keep(b.Cap() + len(more))
	}
	b.Write(more)
	return b.String()
}

// find returns the buffer that ends with s; comparing equal strings that stand in the same place
// takes no time.
func (g *growth) find(s string) *strings.Builder {
	for i := range g.buffers {
		if b := &g.buffers[i]; b.Len() == len(s) && b.String() == s {
			return b
		}
	}
	return nil
}

func (g *growth) begin(s string, more int) *strings.Builder {
	if len(s) > growsLone {
		clear(g.buffers[:])
	}
	b := &g.buffers[g.next]
	g.next = (g.next + 1) % len(g.buffers)
	room := len(s) + more + len(s)/4
	keep(room)
	b.Reset()
	b.Grow(room)
	b.WriteString(s)
	return b
}
