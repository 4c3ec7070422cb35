package text

import "slices"

// truncate removes the cells from column n on.
func (c *cells) truncate(n int) {
	if n >= len(c.line) {
		return
	}
	if n > 0 {
		c.vacate(n, len(c.line))
		c.line = c.line[:n]
		c.trim()
		return
	}
	col := c.col
	c.reset()
	c.moveTo(col)
}

// trim removes blanks from the end of the line.
func (c *cells) trim() {
	n := len(c.line)
	for n > 0 && c.line[n-1] == blank|' ' {
		n--
	}
	c.size -= len(c.line) - n
	c.line = c.line[:n]
	c.moveTo(c.col) // which may be too far now
}

// erase makes n cells from column col on blank.
func (c *cells) erase(col, n int) {
	end := col + n
	if end >= len(c.line) {
		c.truncate(col)
		return
	}
	if len(c.line) > maxCols {
		return
	}
	c.vacate(col, end)
	c.setBlank(col, end)
	c.trim()
}

// delete removes n cells from the cursor on, and moves up those behind them.
func (c *cells) delete(n int) {
	end := c.col + n
	if end >= len(c.line) {
		c.truncate(c.col)
		return
	}
	if len(c.line) > maxCols {
		return
	}
	c.vacate(c.col, end)
	c.line = append(c.line[:c.col], c.line[end:]...)
	c.trim()
}

// insert makes room for n blanks at the cursor, as long as the line stays within
// maxCols.
func (c *cells) insert(n int) {
	n = min(n, maxCols-len(c.line))
	if n <= 0 || c.col >= len(c.line) {
		return
	}
	c.split(c.col)
	c.openBlanks(c.col, n)
	c.trim()
}

// openBlanks makes room for n blanks before column col.
func (c *cells) openBlanks(col, n int) {
	old := len(c.line)
	c.line = slices.Grow(c.line, n)[:old+n]
	copy(c.line[col+n:], c.line[col:old])
	c.setBlank(col, col+n)
}

// setBlank makes cells [from, to), which nothing counts any more, blank.
func (c *cells) setBlank(from, to int) {
	s := c.line[from:to]
	c.size += len(s)
	if len(s) == 0 {
		return
	}
	s[0] = blank | ' '
	for i := 1; i < len(s); i *= 2 {
		copy(s[i:], s[:i])
	}
}
