// Package diff compares texts line by line, as git's default algorithm does.
package diff

import "bytes"

// Lines splits text after each newline. The lines are parts of text.
func Lines(text []byte) [][]byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	return lines[:len(lines)-min(1, oneIf(len(lines[len(lines)-1]) == 0))]
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// An Edit replaces lines [A0,A1) of the old text by lines [B0,B1) of the new one.
type Edit struct{ A0, A1, B0, B1 int }

// Compare returns the edits that make b of a, in order, with equal lines between any two. Of
// several places where an edit may be, it takes the one that looks best: diff.indentHeuristic.
func Compare(a, b [][]byte) []Edit { return compare(a, b, true) }

// compare is Compare; without looks an edit is as far down as it may be, as in merges.
func compare(a, b [][]byte, looks bool) []Edit {
	ids := make(map[string]int)
	x, y := number(ids, a), number(ids, b)
	start := 0
	for start < len(x) && start < len(y) && x[start] == y[start] {
		start++
	}
	end := 0
	for end < len(x)-start && end < len(y)-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	deleted, inserted := make([]bool, len(x)), make([]bool, len(y))
	count := counting(x, y, len(ids))
	m := &myers{
		x: relevant(x, deleted, start, len(x)-end, func(id int) int { return count[id][1] }),
		y: relevant(y, inserted, start, len(y)-end, func(id int) int { return count[id][0] }),
	}
	m.run()
	old, new := &side{ids: x, changed: deleted}, &side{ids: y, changed: inserted}
	if looks {
		old.lines, new.lines = a, b
	}
	slide(old, new)
	slide(new, old)
	return edits(deleted, inserted)
}

func number(ids map[string]int, lines [][]byte) []int {
	out := make([]int, len(lines))
	for i, l := range lines {
		id, ok := ids[string(l)]
		if !ok {
			id = len(ids)
			ids[string(l)] = id
		}
		out[i] = id
	}
	return out
}

func edits(deleted, inserted []bool) []Edit {
	var out []Edit
	i, j := 0, 0
	for i < len(deleted) || j < len(inserted) {
		e := Edit{A0: i, B0: j}
		for i < len(deleted) && deleted[i] {
			i++
		}
		for j < len(inserted) && inserted[j] {
			j++
		}
		if e.A1, e.B1 = i, j; e.A1 > e.A0 || e.B1 > e.B0 {
			out = append(out, e)
		}
		i, j = i+1, j+1
	}
	return out
}
