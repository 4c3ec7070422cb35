package text_test

import (
	"strings"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// A model is what a Folder should be, without a thought of speed: a
// vt.Handler that always has the open line as cells. It does not know that long
// lines are committed.
type model struct {
	out  strings.Builder
	line []slot
	col  int
}

// A slot is a cell of a line. Only the first cell of a character has text.
type slot struct {
	text    string
	first   int // cell of its character
	printed bool
}

var unprinted = slot{text: " "}

func (m *model) open() string {
	var b strings.Builder
	for _, s := range m.line {
		b.WriteString(s.text)
	}
	return b.String()
}

// tidy keeps the promises of a Folder after each step.
func (m *model) tidy() {
	for n := len(m.line); n > 0 && !m.line[n-1].printed; n = len(m.line) {
		m.line = m.line[:n-1]
	}
	m.col = max(0, min(m.col, max(len(m.line), 1023)))
}

func (m *model) commit(tail string) {
	m.out.WriteString(m.open() + tail)
	m.line, m.col = nil, 0
}

func (m *model) leave() {
	if len(m.line) > 0 {
		m.commit("\n")
	}
	m.col = 0
}

// blank makes cells [from, to) blank, and all else of characters in them.
func (m *model) blank(from, to int) {
	for i := from; i < min(to, len(m.line)); i++ {
		if first := m.line[i].first; m.line[i].printed {
			for j := first; j < len(m.line) && m.line[j].printed && m.line[j].first == first; j++ {
				m.line[j] = unprinted
			}
		}
	}
}

func (m *model) put(text string, width int) {
	for len(m.line) < m.col+width {
		m.line = append(m.line, unprinted)
	}
	m.blank(m.col, m.col+width)
	for i := range width {
		m.line[m.col+i] = slot{first: m.col, printed: true}
	}
	m.line[m.col].text = text
	m.col += width
}

func (m *model) Print(p []byte) {
	for _, r := range string(p) {
		width := vt.RuneWidth(r)
		if width == 0 && m.col > 0 && m.col <= len(m.line) {
			s := &m.line[m.col-1]
			if s.printed {
				s = &m.line[s.first]
			}
			*s = slot{text: s.text + string(r), first: s.first, printed: true}
			if s == &m.line[m.col-1] && s.text[0] == ' ' {
				s.first = m.col - 1
			}
		} else {
			m.put(string(r), max(width, 1))
		}
		m.tidy()
	}
}

func (m *model) Execute(c byte) {
	switch c {
	case '\n', '\v', '\f', 0x84, 0x85:
		m.commit("\n")
	case '\r':
		m.col = 0
	case '\b':
		m.col--
	case '\t':
		stop := (m.col/8 + 1) * 8
		if m.col == len(m.line) {
			m.put("\t", stop-m.col)
		}
		m.col = stop
	case 0x8D:
		m.leave()
	}
	m.tidy()
}

func (m *model) ESC(op vt.Op) {
	switch op.String() {
	case "D", "E":
		m.commit("\n")
	case "M", "8", "c":
		m.leave()
	}
}

func (m *model) CSI(op vt.Op, params *vt.Params) {
	n, mode := params.Or(0, 1), params.Value(0)
	size := len(m.line)
	short := size <= 1024
	switch op.String() {
	case "G", "`":
		m.col = n - 1
	case "C", "a":
		m.col += n
	case "D":
		m.col -= n
	case "K", "J":
		switch {
		case mode == 0:
			m.blank(m.col, size)
		case mode == 1 && (short || m.col >= size-1):
			m.blank(0, m.col+1)
		case mode == 2 && op == 'K':
			m.line = nil
		case mode >= 2 && op == 'J':
			m.leave()
		}
	case "X":
		if short || m.col+n >= size {
			m.blank(m.col, m.col+n)
		}
	case "P":
		if end := min(m.col+n, size); m.col < end && (short || end == size) {
			m.blank(m.col, end)
			m.shift(m.col, end, nil)
		}
	case "@":
		if n = min(n, 1024-size); m.col < size && n > 0 {
			m.split()
			blanks := make([]slot, n)
			for i := range blanks {
				blanks[i] = unprinted
			}
			m.shift(m.col, m.col, blanks)
		}
	case "A", "B", "E", "F", "H", "f", "d", "e", "r", "u":
		m.leave()
	case "?h", "?l":
		for i := range params.Len() {
			if v := params.Value(i); v == 47 || v == 1047 || v == 1049 {
				m.leave()
			}
		}
	}
	m.tidy()
}

// split blanks the character that is on both sides of the cursor.
func (m *model) split() {
	if s := m.line[m.col]; s.printed && s.first < m.col {
		m.blank(m.col, m.col+1)
	}
}

// shift replaces cells [from, to) with others.
func (m *model) shift(from, to int, with []slot) {
	tail := append([]slot(nil), m.line[to:]...)
	for i := range tail {
		tail[i].first += len(with) - (to - from)
	}
	m.line = append(append(m.line[:from], with...), tail...)
}

func (m *model) OSC([]byte)                    {}
func (m *model) DCS(vt.Op, *vt.Params, []byte) {}
