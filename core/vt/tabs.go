package vt

import "math/bits"

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
	if b.tabs == nil {
		b.tabs = make([]uint64, cols/64+1)
	}
	clear(b.tabs)
}

// nextTab returns the tab stop after column x, or the last column.
func (b *buffer) nextTab(x, cols int) int {
	x++
	if b.tabs == nil {
		return min((x+tabWidth-1)/tabWidth*tabWidth, cols-1)
	}
	for ; x < cols && x/64 < len(b.tabs); x = (x/64 + 1) * 64 {
		if stops := b.tabs[x/64] >> (x % 64); stops != 0 {
			return min(x+bits.TrailingZeros64(stops), cols-1)
		}
	}
	return cols - 1
}

// prevTab returns the tab stop before column x, or column 0.
func (b *buffer) prevTab(x, cols int) int {
	x--
	if b.tabs == nil {
		return min(max(x, 0)/tabWidth*tabWidth, cols-1)
	}
	for x = min(x, 64*len(b.tabs)-1); x > 0; x = x/64*64 - 1 {
		if stops := b.tabs[x/64] << (63 - x%64); stops != 0 {
			return min(x-bits.LeadingZeros64(stops), cols-1)
		}
	}
	return 0
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
