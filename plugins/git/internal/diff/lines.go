// Package diff compares texts line by line, as git's default algorithm does.
package diff

import "bytes"

// maxDifferences bounds time and memory: beyond so many, what is between the
// common start and end counts as replaced.
const maxDifferences = 3000

// Lines splits text after each newline. The lines are parts of text.
func Lines(text []byte) [][]byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	return lines[:len(lines)-min(1, count(len(lines[len(lines)-1]) == 0))]
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// An Edit replaces lines [A0,A1) of the old text by lines [B0,B1) of the new one.
type Edit struct{ A0, A1, B0, B1 int }

// Compare returns the edits that make b of a, in order, with equal lines between any two.
func Compare(a, b [][]byte) []Edit {
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
	mark(x[start:len(x)-end], y[start:len(y)-end], deleted[start:], inserted[start:])
	slide(x, deleted, inserted)
	slide(y, inserted, deleted)
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

// mark finds a shortest edit script: E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986.
func mark(x, y []int, deleted, inserted []bool) {
	limit := min(len(x)+len(y), maxDifferences)
	v := make([]int, 2*limit+3)
	var trace [][]int
	for d := 0; d <= limit; d++ {
		// Row d keeps diagonals -d-1 .. d+1, all that walking back needs.
		for k := -d; k <= d; k += 2 {
			i := 0
			if k == -d || k != d && v[limit+k] < v[limit+k+2] {
				i = v[limit+k+2]
			} else {
				i = v[limit+k] + 1
			}
			if d == 0 {
				i = 0
			}
			j := i - k
			for i < len(x) && j < len(y) && x[i] == y[j] {
				i, j = i+1, j+1
			}
			v[limit+1+k] = i
			if i >= len(x) && j >= len(y) {
				walkBack(trace, d, k, deleted, inserted)
				return
			}
		}
		row := make([]int, 2*d+3)
		copy(row, v[limit-d:limit+d+3])
		trace = append(trace, row)
	}
	for i := range x {
		deleted[i] = true
	}
	for j := range y {
		inserted[j] = true
	}
}

// walkBack marks what the path to the end, diagonal k, found with d differences, deletes and inserts.
func walkBack(trace [][]int, d, k int, deleted, inserted []bool) {
	for ; d > 0; d-- {
		row := trace[d-1] // diagonals -d .. d
		at := func(k int) int { return row[k+d] }
		if k == -d || k != d && at(k-1) < at(k+1) {
			k++
			inserted[at(k)-k] = true
			continue
		}
		k--
		deleted[at(k)] = true
	}
}

// slide moves each group of changed lines down as far as it can go, or to the last place where the other text has a
// change too. It merges groups that meet.
func slide(x []int, changed, other []bool) {
	j := 0 // the line of the other text that stands beside line i
	for i := 0; i < len(x); {
		if !changed[i] {
			for j < len(other) && other[j] {
				j++
			}
			i, j = i+1, j+1
			continue
		}
		start, end := i, i
		for end < len(x) && changed[end] {
			end++
		}
		// Up, to merge with what is above.
		up := j
		for start > 0 && !changed[start-1] && x[start-1] == x[end-1] {
			start, end = start-1, end-1
			changed[start], changed[end] = true, false
			up--
			for up > 0 && other[up-1] {
				up--
			}
			for start > 0 && changed[start-1] {
				start--
			}
		}
		// Down, remembering where the other text changes too.
		pos, match := up, -1
		for {
			if pos < len(other) && other[pos] {
				match = end
			}
			if end >= len(x) || changed[end] || x[start] != x[end] {
				break
			}
			changed[start], changed[end] = false, true
			start, end = start+1, end+1
			for pos < len(other) && other[pos] {
				pos++
			}
			pos++
			for end < len(x) && changed[end] {
				end++
			}
		}
		for match >= 0 && end > match {
			start, end = start-1, end-1
			changed[start], changed[end] = true, false
			pos--
			for pos > 0 && other[pos-1] {
				pos--
			}
		}
		i, j = end, pos
	}
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
