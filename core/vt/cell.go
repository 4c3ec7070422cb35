package vt

// A cell is one place of the screen, in 8 bytes without a pointer: a character
// or the number of a cluster, how wide it is, and the number of a style. The
// zero value is empty, which is not the same as holding a space.
type cell uint64

const (
	contentMask cell = 1<<22 - 1
	clustered   cell = 1 << 21 // the content is the number of a cluster
	wide        cell = 1 << 22 // it takes this place and the next
	spacer      cell = 1 << 23 // it takes no place: the second one of a wide cell
	widthMask        = wide | spacer
	odd         cell = 1 << 24 // it is not as wide as its text says
	styleShift       = 32
)

// empty returns an empty cell in a style.
func empty(style uint32) cell { return cell(style) << styleShift }

func (c cell) style() uint32    { return uint32(c >> styleShift) }
func (c cell) hasContent() bool { return c&contentMask != 0 }
func (c cell) isWide() bool     { return c&wide != 0 }

// isRest reports whether c is the second place of a wide cell.
func (c cell) isRest() bool { return c&(spacer|contentMask) == spacer }

// width returns how many places c takes: 0, 1 or 2.
func (c cell) width() int {
	switch c & widthMask {
	case wide:
		return 2
	case spacer:
		return 0
	}
	return 1
}

// rune returns the character of c, if it holds one and no cluster.
func (c cell) rune() rune { return rune(c & (clustered - 1)) }
