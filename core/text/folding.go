package text

import (
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// folding is a Folder as its own vt.Parser sees it.
type folding Folder

var _ vt.Handler = (*folding)(nil)

func (h *folding) Print(p []byte) {
	f := (*Folder)(h)
	for len(p) > 0 {
		if f.atEnd() {
			p = p[f.append(p):]
		} else {
			p = p[f.edit().print(p):]
		}
		f.overflow()
	}
}

// append appends text up to the character that reaches maxOpen, and returns how
// much.
func (f *Folder) append(p []byte) int {
	n := min(len(p), maxOpen-len(f.buf))
	for n < len(p) && !utf8.RuneStart(p[n]) {
		n++
	}
	f.buf = append(f.buf, p[:n]...)
	f.home = false
	return n
}

const (
	ind = 0x84 // index
	nel = 0x85 // next line
	ri  = 0x8D // reverse index
)

func (h *folding) Execute(c byte) {
	f := (*Folder)(h)
	switch c {
	case '\n', '\v', '\f', ind, nel:
		f.commit("\n")
	case '\r':
		f.moveTo(0)
	case '\b':
		f.move(-1)
	case '\t':
		f.tab()
	case ri:
		f.leave()
	}
}

func (h *folding) ESC(op vt.Op) {
	f := (*Folder)(h)
	switch op {
	case 'D', 'E': // IND, NEL
		f.commit("\n")
	case 'M', '8', 'c': // RI, DECRC, RIS
		f.leave()
	}
}

func (h *folding) CSI(op vt.Op, params *vt.Params) {
	f := (*Folder)(h)
	n := params.Or(0, 1)
	switch op {
	case 'G', '`': // CHA, HPA
		f.moveTo(n - 1)
	case 'C', 'a': // CUF, HPR
		f.move(n)
	case 'D': // CUB
		f.move(-n)
	case 'K': // EL
		f.erase(params.Value(0))
	case 'J': // ED
		if mode := params.Value(0); mode < 2 {
			f.erase(mode)
		} else {
			f.leave()
		}
	case 'X': // ECH
		c := f.edit()
		c.erase(c.col, n)
	case 'P': // DCH
		f.edit().delete(n)
	case '@': // ICH
		f.edit().insert(n)
	case 'A', 'B', 'E', 'F', 'H', 'f', 'd', 'e', 'r', 'u':
		// CUU, CUD, CNL, CPL, CUP, HVP, VPA, VPR, DECSTBM, SCORC
		f.leave()
	case '?'<<8 | 'h', '?'<<8 | 'l': // DECSET, DECRST
		for i := range params.Len() {
			switch params.Value(i) {
			case 47, 1047, 1049: // the alternate screen
				f.leave()
			}
		}
	}
	f.settle()
}

func (h *folding) OSC([]byte)                    {}
func (h *folding) DCS(vt.Op, *vt.Params, []byte) {}

// moveTo moves the cursor to column col.
func (f *Folder) moveTo(col int) {
	if col == 0 && !f.edited {
		f.home = true
		return
	}
	f.edit().moveTo(col)
	f.settle()
}

// move moves the cursor by n columns.
func (f *Folder) move(n int) {
	if n < 0 && f.atStart() {
		return
	}
	c := f.edit()
	c.moveTo(c.col + n)
}

func (f *Folder) tab() {
	if f.atEnd() {
		f.append([]byte{'\t'})
	} else {
		f.edit().tab()
	}
	f.overflow()
}

// erase does EL: mode 0 erases from the cursor on, 1 up to the cursor, 2 all.
func (f *Folder) erase(mode int) {
	switch {
	case (mode == 0 || mode == 2) && f.atStart():
		f.clear()
		return
	case mode == 0 && f.atEnd(): // as some programs do in every line
		return
	}
	switch c := f.edit(); mode {
	case 0:
		c.truncate(c.col)
	case 1:
		c.erase(0, c.col+1)
	case 2:
		c.truncate(0)
	}
}

// leave ends the open line, if there is anything in it.
func (f *Folder) leave() {
	if f.OpenLen() > 0 {
		f.commit("\n")
		return
	}
	f.clear()
}
