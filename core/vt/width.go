package vt

// RuneWidth returns the number of cells that r takes: 0, 1 or 2. It is that of
// the Unicode 11 addon of xterm.js for every r: controls and combining
// characters are 0, East Asian wide ones and most emoji 2, ambiguous ones 1.
func RuneWidth(r rune) int {
	switch {
	case r < 0x20:
		return 0
	case r < 0x7F:
		return 1
	case r < rune(len(widthPages))*64:
		block := int(widthPages[r>>6]) * 16
		return int(widthBlocks[block+int(r>>2&15)] >> (r & 3 * 2) & 3)
	}
	for i := range widthRanges {
		if w := &widthRanges[i]; w.first <= r && r <= w.last {
			return w.width
		}
	}
	return 1
}
