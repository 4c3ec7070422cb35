package vt

import "slices"

// A row is a line of the screen. Its memory grows with what is written to it.
type row struct {
	cells   []cell // those written so far
	rest    cell   // what each cell beyond them is, up to the last column
	gen     uint64 // the generation in which it changed last
	wrapped bool   // it continues the row above
	lead    int16  // so many cells at the start are plain and empty, or all if it is more
	copy    int32  // see frame
}

// written notes that cells from column x on are overwritten.
func (r *row) written(x int) {
	if int(r.lead) > x { // a store for each piece of text would be felt
		r.lead = int16(x)
	}
}

// leading returns how many cells at the start are known to be plain and empty. A
// program that goes right without printing leaves them behind, at the cost of a
// few bytes or, with line feeds, of none: rows that leave the screen must not
// take their time for each.
func (r *row) leading() int { return min(int(r.lead), len(r.cells)) }

// at returns the cell in column x.
func (r *row) at(x int) cell {
	if x < len(r.cells) {
		return r.cells[x]
	}
	return r.rest
}

// extend makes sure that the cells before column n are in memory.
func (r *row) extend(n, cols int) {
	old := len(r.cells)
	if n <= old {
		return
	}
	switch {
	case old > 0:
		r.lead = min(r.lead, int16(old))
	case r.rest == 0:
		r.lead = int16(n)
	default:
		r.lead = 0
	}
	if n > cap(r.cells) {
		size := max((n+7)&^7, 2*cap(r.cells))
		grown := make([]cell, old, min(size, cols))
		copy(grown, r.cells)
		r.cells = grown
	}
	r.cells = r.cells[:n]
	if r.rest == 0 {
		clear(r.cells[old:])
		return
	}
	for i := old; i < n; i++ {
		r.cells[i] = r.rest
	}
}

// room returns the n cells from column x on, to be overwritten.
func (r *row) room(x, n, cols int) []cell {
	if x+n > len(r.cells) {
		if x+n <= cap(r.cells) && x <= len(r.cells) {
			r.cells = r.cells[:x+n]
		} else {
			r.extend(x+n, cols)
		}
	}
	r.written(x)
	return r.cells[x : x+n : x+n]
}

// fill makes every cell c.
func (r *row) fill(c cell) {
	r.cells = r.cells[:0]
	r.rest = c
}

// set makes the cell in column x c.
func (r *row) set(x int, c cell, cols int) {
	r.room(x, 1, cols)[0] = c
}

// replace makes the cells from column start to before end blank. What is left
// of a wide cell at either side becomes blank too.
func (r *row) replace(start, end int, blank cell, cols int) {
	if start > 0 && r.at(start-1).isWide() {
		r.set(start-1, blank, cols)
	}
	if end < cols && r.at(end-1).isWide() {
		r.set(end, blank, cols)
	}
	if start >= cols {
		return
	}
	if end < cols {
		r.clearCells(start, end, blank, cols)
		return
	}
	// The usual case, to the end of the line, costs no memory.
	if len(r.cells) < start {
		if r.rest == blank {
			return
		}
		r.extend(start, cols)
	}
	r.cells = r.cells[:start]
	r.rest = blank
}

// replaceSelective is replace for all but protected cells.
func (r *row) replaceSelective(start, end int, blank cell, cols int, isProtected func(cell) bool) {
	if start > 0 && r.at(start-1).isWide() && !isProtected(r.at(start-1)) {
		r.set(start-1, blank, cols)
	}
	if end < cols && r.at(end-1).isWide() && !isProtected(r.at(end)) {
		r.set(end, blank, cols)
	}
	end = min(end, cols)
	if end > len(r.cells) && r.rest != blank && !isProtected(r.rest) {
		r.extend(max(start, len(r.cells)), cols)
		if end < cols {
			r.extend(end, cols)
		} else {
			r.rest = blank
		}
	}
	r.lead = min(r.lead, int16(start))
	style, spared := uint32(0), false
	for x := start; x < min(end, len(r.cells)); x++ {
		c := r.cells[x]
		if x == start || c.style() != style {
			style, spared = c.style(), isProtected(c)
		}
		if !spared {
			r.cells[x] = blank
		}
	}
}

func (r *row) clearCells(start, end int, blank cell, cols int) {
	if r.rest == blank {
		end = min(end, len(r.cells)) // beyond is blank already
	}
	if start >= end {
		return
	}
	cells := r.room(start, end-start, cols)
	for i := range cells {
		cells[i] = blank
	}
}

// insert moves the cells from column x on to the right by n, and makes room for
// blank ones. What leaves on the right is lost.
func (r *row) insert(x, n int, blank cell, cols int) {
	if x > 0 && r.at(x-1).isWide() {
		r.set(x-1, blank, cols)
	}
	n = min(n, cols-x)
	if n > 0 {
		used := max(len(r.cells), x)
		r.extend(min(used+n, cols), cols)
		copy(r.cells[x+n:], r.cells[x:])
		r.clearCells(x, x+n, blank, cols)
	}
	if r.at(cols - 1).isWide() {
		r.set(cols-1, blank, cols)
	}
}

// delete moves the cells right of column x+n to x, and makes those at the end
// blank.
func (r *row) delete(x, n int, blank cell, cols int) {
	n = min(n, cols-x)
	r.lead = min(r.lead, int16(x))
	switch {
	case x+n >= cols:
		r.extend(x, cols)
		r.cells = r.cells[:x]
		r.rest = blank
	case r.rest == blank:
		// The rest moves left too, and is the same as what comes in.
		if len(r.cells) > x {
			r.cells = slices.Delete(r.cells, x, min(x+n, len(r.cells)))
		}
	default:
		r.extend(cols, cols)
		copy(r.cells[x:], r.cells[x+n:])
		r.cells = r.cells[:cols-n]
		r.rest = blank
	}
	if x > 0 && r.at(x-1).isWide() {
		r.set(x-1, blank, cols)
	}
	if r.at(x).isRest() {
		r.set(x, blank, cols)
	}
}

// contentLen returns the column after the last cell with content, as xterm.js
// counts: a character of no width of its own at the end does not count.
func (r *row) contentLen(cols int) int {
	if r.rest.hasContent() && len(r.cells) < cols {
		return cols
	}
	for x := len(r.cells) - 1; x >= 0; x-- {
		if c := r.cells[x]; c.hasContent() {
			return min(x+c.width(), cols)
		}
	}
	return 0
}

// materialize puts every cell in memory, so that the number of columns can
// change. What is plain and empty need not be.
func (r *row) materialize(cols int) {
	if r.rest != 0 {
		r.extend(cols, cols)
		r.rest = 0
	}
}

// truncate forgets the cells from column cols on.
func (r *row) truncate(cols int) {
	if len(r.cells) > cols {
		r.cells = r.cells[:cols]
	}
}
