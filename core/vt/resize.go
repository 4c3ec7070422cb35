package vt

import "slices"

// Resize changes the size of the screen. The main screen is laid out anew: lines
// that wrapped wrap at the new width, except the one that the cursor is on,
// which the program will see to; rows leave into the history and come back from
// it, all as in xterm.js. The alternate screen is cut or filled up.
func (s *Screen) Resize(rows, cols int) {
	rows, cols = clampSize(rows, cols)
	if rows == s.rows && cols == s.cols {
		return
	}
	s.gen++
	s.thaw()
	s.buf.y = s.y
	main := layout{s: s, b: &s.main, rows: rows, cols: cols}
	main.resize()
	switch {
	case s.buf != &s.main:
		alt := layout{s: s, b: s.alt, rows: rows, cols: cols}
		alt.resize()
		s.alt.resizeTabs(cols)
	case s.alt != nil: // it is blank, and its memory is of the size before
		*s.alt = buffer{saved: s.alt.saved}
	}
	s.rows, s.cols = rows, cols
	s.x, s.y = min(s.x, cols-1), s.buf.y
	s.main.resizeTabs(cols)
	s.markAll()
}

// A layout is a buffer while its size changes.
type layout struct {
	s          *Screen
	b          *buffer
	list       []row // the rows, from the top of the screen on
	y          int   // the row of the cursor in list
	rows, cols int   // the new size
}

// scrolls reports whether rows that leave at the top are kept.
func (l *layout) scrolls() bool { return l.b == &l.s.main && l.s.scrolls() }

func (l *layout) resize() {
	l.y = l.b.y
	l.list = make([]row, 0, max(len(l.b.rows), l.rows))
	for y := range l.b.rows {
		r := *l.b.seen(y)
		r.materialize(l.s.cols)
		l.list = append(l.list, r)
	}
	if l.rows > len(l.list) {
		l.addRows(l.rows - len(l.list))
	} else {
		l.removeRows(len(l.list) - l.rows)
	}
	l.y = min(l.y, l.rows-1)
	l.b.saved.x = min(l.b.saved.x, l.cols-1)
	if l.b == &l.s.main && l.cols != l.s.cols {
		l.reflow()
	}
	for i := range l.list {
		l.list[i].truncate(l.cols)
	}
	l.b.y = l.y
	l.b.load(l.list)
}

// addRows makes the screen higher by n rows. They come back from the history if
// there is nothing below the cursor; else they are blank.
func (l *layout) addRows(n int) {
	if l.scrolls() && l.y == len(l.list)-1 {
		back := l.s.takeRows(n, l.s.cols, l.rows)
		l.list = slices.Insert(l.list, 0, back...)
		l.y += len(back)
		l.b.base -= len(back)
		n -= len(back)
	}
	l.list = append(l.list, make([]row, n)...)
}

// removeRows makes the screen lower by n rows. Those below the cursor go first,
// then those at the top, into the history.
func (l *layout) removeRows(n int) {
	below := min(n, max(len(l.list)-1-l.y, 0))
	l.list = l.list[:len(l.list)-below]
	n -= below
	if l.scrolls() {
		l.b.base += n
	}
	l.y -= n
	l.giveBack(n)
}

// giveBack moves n rows from the top into the history.
func (l *layout) giveBack(n int) {
	if l.scrolls() {
		for i := range n {
			if l.s.options.Scrolled == nil {
				l.s.history.push(l.s, &l.list[i])
			} else {
				l.s.handOn(&l.list[i], i+1 < len(l.list) && l.list[i+1].wrapped)
			}
		}
	}
	l.list = slices.Delete(l.list, 0, n)
}
