package vt

import "slices"

// reflow lays the rows out at the new width.
func (l *layout) reflow() {
	first := l.takeFirstLine()
	cursor := l.y + len(first)
	old := append(first, l.list...)
	h := &l.s.history
	h.stale = h.first + uint64(h.count)

	// From the bottom, as xterm.js does when it gets narrower: what becomes longer
	// below the cursor has it take a line further down for that of the cursor.
	var lines [][]row
	for end := len(old); end > 0; {
		start := end - 1
		for start > 0 && old[start].wrapped {
			start--
		}
		line := old[start:end:end]
		if cursor < start || cursor >= end {
			line = l.wrapAnew(line)
		}
		lines = append(lines, line)
		cursor += max(len(line)-(end-start), 0)
		end = start
	}
	l.list = make([]row, 0, len(old))
	for _, line := range slices.Backward(lines) {
		l.list = append(l.list, line...)
	}
	for i := range l.list {
		l.list[i].truncate(l.cols)
	}
	l.fit(len(l.list) - len(old))
}

// wrapAnew lays out one line, which is at least a row.
func (l *layout) wrapAnew(line []row) []row {
	wider := l.cols > l.s.cols
	last := &line[len(line)-1]
	if len(line) == 1 && (wider || last.contentLen(l.s.cols) <= l.cols) {
		return line
	}
	return wrapLine(line, l.s.cols, l.cols, l.s.gen)
}

// fit makes the list as long as the screen is high, after reflow made it longer
// by added rows. While there is no history the cursor moves down with what
// became longer, and rows at the bottom go; else rows leave at the top. What
// became shorter is filled up from the history.
func (l *layout) fit(added int) {
	saved := &l.b.saved
	if added > 0 && l.s.history.count == 0 && !l.s.given.any {
		down := min(added, l.rows-1-l.y)
		l.y += down
		l.list = l.list[:len(l.list)-down]
		saved.y = min(saved.y+down, l.b.base+l.rows-1)
	}
	if extra := len(l.list) - l.rows; extra > 0 {
		l.giveBack(extra)
		return
	}
	if l.scrolls() {
		back := l.s.takeRows(l.rows-len(l.list), l.cols, l.rows)
		l.list = slices.Insert(l.list, 0, back...)
	}
	if lack := l.rows - len(l.list); lack > 0 {
		l.y = max(l.y-lack, 0)
		saved.y = max(saved.y-lack, l.b.base)
		l.list = append(l.list, make([]row, lack)...)
	}
}

// takeFirstLine takes the start of the line that the first row continues from
// the history.
func (l *layout) takeFirstLine() []row {
	if !l.scrolls() || !l.list[0].wrapped {
		return nil
	}
	h := &l.s.history
	n := min(h.count, maxLine*l.rows)
	begin := h.lineStart(n)
	return l.s.unpackRows(n - begin)
}

// maxLine bounds how much of a line that is longer than the screen is laid out
// anew, in screens.
const maxLine = 4

// lineStart returns where the line begins that the newest row is of: the number
// of a row of the n newest, from 0.
func (h *history) lineStart(n int) int {
	end := h.first + uint64(h.count)
	start, i := 0, 0
	h.each(end-uint64(n), end, func(_ []byte, flags int) {
		if flags&rowWrapped == 0 {
			start = i
		}
		i++
	})
	return start
}

// unpackRows takes the n newest rows from the history.
func (s *Screen) unpackRows(n int) []row {
	rows := make([]row, 0, n)
	h := &s.history
	end := h.first + uint64(h.count)
	h.each(end-uint64(n), end, func(packed []byte, flags int) {
		r := row{gen: s.gen}
		s.unpackRow(&r, packed, flags)
		rows = append(rows, r)
	})
	h.truncate(n)
	return rows
}

// takeRows takes the newest rows from the history, n if there are so many, for
// a screen of a size. Those of another width are laid out anew.
func (s *Screen) takeRows(n, cols, rows int) []row {
	h := &s.history
	var taken []row
	for len(taken) < n && h.count > 0 {
		end := h.first + uint64(h.count)
		if end > h.stale {
			fresh := min(n-len(taken), int(min(end-h.stale, uint64(h.count))))
			taken = slices.Insert(taken, 0, s.unpackRows(fresh)...)
			continue
		}
		tail := min(h.count, maxLine*rows)
		line := s.unpackRows(tail - h.lineStart(tail))
		taken = slices.Insert(taken, 0, wrapLine(line, 0, cols, s.gen)...)
	}
	extra := max(len(taken)-n, 0)
	h.stale = min(h.stale, h.first+uint64(h.count))
	for i := range extra {
		h.push(s, &taken[i])
	}
	return taken[extra:]
}

// wrapLine returns a line, which was wrapped at oldCols, wrapped at cols. If
// oldCols is 0, the rows are as long as they say.
func wrapLine(line []row, oldCols, cols int, gen uint64) []row {
	var cells []cell
	for i := range line {
		r := &line[i]
		n := len(r.cells)
		switch {
		case i == len(line)-1:
			n = min(r.contentLen(max(oldCols, n)), n)
		case oldCols > 0:
			r.materialize(oldCols)
			r.extend(oldCols, oldCols)
			n = oldCols
			if c := r.cells[n-1]; c&widthMask == 0 && !c.hasContent() && line[i+1].at(0).isWide() {
				n-- // a wide character did not fit there
			}
		}
		cells = append(cells, r.cells[:n]...)
	}
	var out []row
	wrapped := line[0].wrapped
	for len(cells) > cols {
		n := cols
		if cells[n-1].isWide() {
			n--
		}
		out = append(out, row{cells: slices.Clone(cells[:n]), gen: gen, wrapped: wrapped})
		cells = cells[n:]
		wrapped = true
	}
	return append(out, row{cells: cells, gen: gen, wrapped: wrapped})
}
