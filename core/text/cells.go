package text

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// maxCols is wider than any terminal, in cells. It bounds what a few bytes can
// cost: moves end there, or at the end of a longer line, and edits that would
// take time for each cell of a longer line are not done.
const maxCols = 1024

// A cell is one column of a line: a character, or a part of one.
type cell uint32

const (
	rest   cell = 1 << 31 // the character to the left, continued
	marked cell = 1 << 30 // plus the number of its last mark: a character with marks
	blank  cell = 1 << 29 // with ' ': a space that nobody printed
)

// cells are a line that is being edited. The last one was printed: blanks at the
// end are removed at once.
type cells struct {
	line []cell
	col  int // of the cursor; may be beyond the end of line
	size int // of the line as text, in bytes

	// A character with combining characters is a ring of marks, itself being
	// the first. Those not in use are a list. Number 0 is no mark.
	marks []mark
	free  uint32 // the first of the list, or 0
}

// A mark is a character, and the number of the one after it in the ring.
type mark struct {
	r    rune
	next uint32
}

func (c *cells) reset() {
	c.line = c.line[:0]
	c.marks = c.marks[:0]
	c.free = 0
	c.col, c.size = 0, 0
}

// load appends text p, which may hold tabs, up to the character that makes c
// full, and returns how much. The cursor is at the end of the line.
func (c *cells) load(p []byte) int {
	n := 0
	for n < len(p) && !c.full() {
		if p[n] == '\t' {
			c.tab()
			n++
			continue
		}
		text, _, _ := bytes.Cut(p[n:], []byte{'\t'})
		n += c.print(text)
	}
	return n
}

// full reports whether the line is too long to stay open.
func (c *cells) full() bool { return max(c.size, len(c.line)) >= maxOpen }

// appendTo appends the line as text to dst.
func (c *cells) appendTo(dst []byte) []byte {
	dst = slices.Grow(dst, c.size)
	for line := c.line; len(line) > 0; line = line[1:] {
		for len(line) > 4 && (line[0]|line[1]|line[2]|line[3])&^blank < utf8.RuneSelf {
			dst = append(dst, byte(line[0]), byte(line[1]), byte(line[2]), byte(line[3]))
			line = line[4:]
		}
		switch x := line[0]; {
		case x&rest != 0:
		case x&marked != 0:
			dst = c.appendMarked(dst, x)
		default:
			dst = utf8.AppendRune(dst, rune(x&^blank))
		}
	}
	return dst
}

func (c *cells) appendMarked(dst []byte, x cell) []byte {
	last := uint32(x &^ marked)
	for i := last; ; {
		i = c.marks[i].next
		dst = utf8.AppendRune(dst, c.marks[i].r)
		if i == last {
			return dst
		}
	}
}

// empty reports whether the line is as reset leaves it.
func (c *cells) empty() bool { return len(c.line) == 0 && c.col == 0 }

func (c *cells) moveTo(col int) {
	c.col = max(0, min(col, max(len(c.line), maxCols-1)))
}

// tab appends a tab at the end of the line, and moves to the next stop
// elsewhere.
func (c *cells) tab() {
	stop := c.col&^7 + 8
	if c.col == len(c.line) {
		c.replace('\t', stop-c.col)
		return
	}
	c.moveTo(stop)
}

// print prints text at the cursor up to the character that makes c full, and
// returns how much.
func (c *cells) print(p []byte) int {
	i := 0
	for i < len(p) && !c.full() {
		b := p[i]
		if b >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(p[i:])
			c.put(r)
			i += n
			continue
		}
		i++
		switch {
		case c.col == len(c.line):
			c.line = append(c.line, cell(b))
			c.size++
			c.col++
		case c.col < len(c.line) && c.line[c.col]&^blank < utf8.RuneSelf && c.line[c.col] != '\t':
			c.line[c.col] = cell(b)
			c.col++
		default:
			c.replace(rune(b), 1)
		}
	}
	return i
}

// put prints r at the cursor.
func (c *cells) put(r rune) {
	w := vt.RuneWidth(r)
	if w == 0 && c.col > 0 && c.col <= len(c.line) {
		c.mark(c.lead(c.col-1), r)
		return
	}
	// A mark with nothing before it has a cell of its own, as in xterm.js.
	c.replace(r, max(w, 1))
}

// replace puts r into the w cells at the cursor, and moves the cursor past them.
func (c *cells) replace(r rune, w int) {
	if n := c.col - len(c.line); n > 0 {
		c.openBlanks(len(c.line), n)
	}
	end := c.col + w
	c.vacate(c.col, min(end, len(c.line)))
	for len(c.line) < end {
		c.line = append(c.line, rest)
	}
	c.line[c.col] = cell(r)
	for i := c.col + 1; i < end; i++ {
		c.line[i] = rest
	}
	c.size += utf8.RuneLen(r)
	c.col = end
	if c.line[len(c.line)-1] == blank|' ' { // a half of what was there
		c.trim()
	}
}

// vacate takes what cells [from, to) hold out of the line. What remains in them
// is for the caller to replace.
func (c *cells) vacate(from, to int) {
	c.split(from)
	c.split(to)
	for i := from; i < to; i++ {
		if c.line[i]&^blank < utf8.RuneSelf {
			c.size--
			continue
		}
		c.take(i)
	}
}

// split makes sure that no character is both before and after column i: one that
// is becomes blanks.
func (c *cells) split(i int) {
	if i >= len(c.line) || c.line[i]&rest == 0 {
		return
	}
	first, end := c.lead(i), i+1
	for end < len(c.line) && c.line[end]&rest != 0 {
		end++
	}
	c.take(first)
	c.setBlank(first, end)
}

// lead returns the first cell of the character in cell i.
func (c *cells) lead(i int) int {
	for c.line[i]&rest != 0 {
		i--
	}
	return i
}

// take takes the character that cell i begins out of size and marks.
func (c *cells) take(i int) {
	x := c.line[i]
	switch {
	case x&rest != 0:
	case x&marked != 0:
		last := uint32(x &^ marked)
		first := c.marks[last].next
		for j := first; ; j = c.marks[j].next {
			c.size -= utf8.RuneLen(c.marks[j].r)
			if j == last {
				break
			}
		}
		c.marks[last].next = c.free
		c.free = first
	default:
		c.size -= utf8.RuneLen(rune(x &^ blank))
	}
}

// mark adds r to the character that cell i begins.
func (c *cells) mark(i int, r rune) {
	x := c.line[i]
	last := uint32(x &^ marked)
	if x&marked == 0 {
		last = c.newMark(rune(x &^ blank))
		c.marks[last].next = last
	}
	next := c.newMark(r)
	c.marks[next].next = c.marks[last].next
	c.marks[last].next = next
	c.line[i] = marked | cell(next)
	c.size += utf8.RuneLen(r)
}

func (c *cells) newMark(r rune) uint32 {
	if i := c.free; i != 0 {
		c.free = c.marks[i].next
		c.marks[i].r = r
		return i
	}
	if len(c.marks) == 0 {
		c.marks = append(c.marks, mark{})
	}
	c.marks = append(c.marks, mark{r: r})
	return uint32(len(c.marks) - 1)
}
