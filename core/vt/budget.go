package vt

// Some sequences of a few bytes change every cell of the screen. A program that
// prints nothing else would keep us busy for seconds with each read, and whoever
// waits for its terminal with it. So these have to be paid for: what can't be is
// left out. A program has to repeat such a sequence some dozens of times, with
// next to nothing in between, until that happens.
//
//   - REP is cut short.
//   - DECALN, SL, SR, DECIC, DECDC, and DECSED and DECSEL where cells are
//     protected, do nothing.
//
// What else erases or moves rows costs what was written there, or about a
// nanosecond a row, and is always done.

const (
	// cellsPerByte is how many cells each byte written pays for.
	cellsPerByte = 32
	// savedScreens is how many screens of cells can be saved up, and savedCells
	// how many cells on a small screen. A new Screen begins with as many.
	savedScreens = 16
	savedCells   = 64 << 10
)

// A budget counts the cells that were paid for. It depends on the bytes alone,
// and not on how they were cut into chunks: a sequence is counted when its last
// byte was taken.
type budget struct {
	taken   uint64 // bytes written, but for those of the Parser's current step
	counted uint64 // bytes that spent has been paid back for
	spent   int    // cells that are missing from a full budget
}

// left returns how many cells may be changed now.
func (s *Screen) left() int {
	b := &s.budget
	taken := b.taken + uint64(s.parser.taken)
	paid := (taken - b.counted) * cellsPerByte
	b.counted = taken
	b.spent -= int(min(paid, uint64(b.spent)))
	return max(savedScreens*s.rows*s.cols, savedCells) - b.spent
}

// afford spends n cells, if there are so many.
func (s *Screen) afford(n int) bool {
	if n > s.left() {
		return false
	}
	s.spend(n)
	return true
}

// spend spends n cells, which must be left.
func (s *Screen) spend(n int) { s.budget.spent += n }
