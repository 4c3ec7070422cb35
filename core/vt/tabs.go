package vt

const tabWidth = 8

// hasTab reports whether column x is a tab stop.
func (b *buffer) hasTab(x int) bool {
	if b.tabs == nil {
		return x%tabWidth == 0
	}
	return x/64 < len(b.tabs) && b.tabs[x/64]>>(x%64)&1 != 0
}

// setTab makes column x a tab stop, or no more.
func (b *buffer) setTab(x int, on bool, cols int) {
	if b.hasTab(x) == on {
		return
	}
	b.ownTabs(cols)
	for x/64 >= len(b.tabs) {
		b.tabs = append(b.tabs, 0)
	}
	if on {
		b.tabs[x/64] |= 1 << (x % 64)
	} else {
		b.tabs[x/64] &^= 1 << (x % 64)
	}
}

// ownTabs writes down the stops that are there by default.
func (b *buffer) ownTabs(cols int) {
	if b.tabs != nil {
		return
	}
	b.tabs = make([]uint64, cols/64+1)
	for x := 0; x < cols; x += tabWidth {
		b.tabs[x/64] |= 1 << (x % 64)
	}
}

// clearTabs removes all stops.
func (b *buffer) clearTabs(cols int) {
	b.tabs = make([]uint64, cols/64+1)
}

// nextTab returns the tab stop after column x, or the last column.
func (b *buffer) nextTab(x, cols int) int {
	for x++; x < cols && !b.hasTab(x); x++ {
	}
	return min(x, cols-1)
}

// prevTab returns the tab stop before column x, or column 0.
func (b *buffer) prevTab(x, cols int) int {
	for x--; x > 0 && !b.hasTab(x); x-- {
	}
	return min(max(x, 0), cols-1)
}

// resizeTabs adds the stops of columns that a wider screen has, as xterm.js
// does: each 8th after the last there is.
func (b *buffer) resizeTabs(cols int) {
	if b.tabs == nil {
		return
	}
	x := cols
	if !b.hasTab(x) {
		x = b.prevTab(x, cols)
	}
	for ; x < cols; x += tabWidth {
		b.setTab(x, true, cols)
	}
}
