package diff

import (
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// gutter is the least that is between the columns of -y, and tabSize what a tab is worth.
const gutter, tabSize = 3, 8

// A sideBySide writes both files in two columns, as -y does.
type sideBySide struct {
	*printer
	half   int  // width of a column
	second int  // where the second column begins
	common bool // lines that are the same are shown
	left   bool // of those, only the first file's
}

// newSideBySide divides width so that tabs in the second column line up.
func newSideBySide(p *printer, width int, common, left bool) *sideBySide {
	tab := tabSize
	if p.spaces {
		tab = 1
	}
	off := width>>1 + (tab+gutter)>>1 + width&(tab+gutter)&1
	off -= off % tab
	s := &sideBySide{printer: p, half: max(0, min(off-gutter, width-off)), second: off, common: common, left: left}
	if s.half == 0 {
		s.second = width
	}
	return s
}

func (s *sideBySide) write(list []change) {
	i, j := 0, 0
	for _, c := range append(list, change{a0: len(s.a.lines), a1: len(s.a.lines), b0: len(s.b.lines), b1: len(s.b.lines)}) {
		s.equal(s.a.lines[i:c.a0], s.b.lines[j:c.b0])
		for i, j = c.a0, c.b0; i < c.a1 && j < c.b1; i, j = i+1, j+1 {
			s.row(s.a.lines[i], '|', s.b.lines[j])
		}
		for ; j < c.b1; j++ {
			s.row(nil, '>', s.b.lines[j])
		}
		for ; i < c.a1; i++ {
			s.row(s.a.lines[i], '<', nil)
		}
	}
}

// equal writes lines that are taken for equal; there may be more on one side where blank ones are
// ignored.
func (s *sideBySide) equal(a, b [][]byte) {
	if !s.common {
		return
	}
	n := min(len(a), len(b))
	for i := range n {
		if s.left {
			s.row(a[i], '(', nil)
		} else {
			s.row(a[i], ' ', b[i])
		}
	}
	for _, line := range b[n:] {
		s.row(nil, ')', line)
	}
	for _, line := range a[n:] {
		s.row(line, '(', nil)
	}
}

// row writes a line of the first file, a mark, and one of the second; nil is none.
func (s *sideBySide) row(a []byte, mark byte, b []byte) {
	column := s.column(a, 0)
	ends := endsLine(a)
	if mark != ' ' {
		column = s.blanks(column, (s.half+s.second-1)/2) + 1
		if mark == '|' && ends != endsLine(b) {
			mark = '\\'
			if ends {
				mark = '/'
			}
		}
		s.out.WriteByte(mark)
	}
	if len(b) > 0 && b[0] != '\n' {
		s.column(b, s.blanks(column, s.second))
	}
	if ends || endsLine(b) {
		s.out.WriteByte('\n')
	}
}

func endsLine(line []byte) bool { return len(line) > 0 && line[len(line)-1] == '\n' }

// blanks writes tabs and blanks from one column to another.
func (s *sideBySide) blanks(from, to int) int {
	if !s.spaces {
		for tab := from + tabSize - from%tabSize; tab <= to; tab += tabSize {
			s.out.WriteByte('\t')
			from = tab
		}
	}
	s.out.WriteString(strings.Repeat(" ", max(0, to-from)))
	return to
}

// column writes as much of a line as there is room for, and returns the width of that. indent is
// where it begins.
func (s *sideBySide) column(line []byte, indent int) int {
	in, out := 0, 0 // columns: of what was read, and of what was written
	for len(line) > 0 && line[0] != '\n' {
		r, n := utf8.DecodeRune(line)
		switch w := tool.RuneWidth(r); {
		case r == '\t':
			step := tabSize - in%tabSize
			if in == out {
				switch stop := out + step; {
				case s.spaces:
					stop = min(stop, s.half)
					s.out.WriteString(strings.Repeat(" ", max(0, stop-out)))
					out = max(out, stop)
				case stop < s.half:
					s.out.WriteByte('\t')
					out = stop
				}
			}
			in += step
		case r == '\r':
			s.out.WriteByte('\r')
			s.blanks(0, indent)
			in, out = 0, 0
		case r < ' ' || r == 0x7f || r == utf8.RuneError && n == 1:
			if in < s.half {
				s.out.Write(line[:n])
			}
		default:
			in += w
			if in <= s.half {
				out = in
				s.out.Write(line[:n])
			}
		}
		line = line[n:]
	}
	return out
}
