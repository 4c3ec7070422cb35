package dump

import (
	"bufio"
	"bytes"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// mostSkipped is how far a dump may leave out bytes, which are written as zeros.
const mostSkipped = 64 << 20

// revert writes the bytes that a dump shows. Like xxd's own it takes two digits next to each other
// for a byte and passes over the line behind the third that is none, or behind as many bytes as a
// row has. It returns the exit status.
func (x *xxdState) revert(env *tool.Env, out *bufio.Writer, p []byte) int {
	plain := x.kind == 'p'
	garbage := true // until the first digit of a line
	n := x.cols     // bytes of this line; no less until its offset has been read
	at, want := int64(0), int64(0)
	digit, before, beforeThat := -1, 0, 0
	for i := 0; i < len(p) && !env.Stopped(); i++ {
		c := p[i]
		if c == '\r' || plain && (c == ' ' || c == '\n' || c == '\t') {
			continue
		}
		beforeThat, before, digit = before, digit, hexDigit(c)
		if digit < 0 && garbage {
			continue
		}
		garbage = false
		if !plain && n >= x.cols {
			if digit < 0 {
				n = 0
			} else {
				want = want<<4 | int64(digit)
			}
			continue
		}
		switch skipped := x.seek + want - at; {
		case skipped < 0:
			env.Errorf("Sorry, cannot seek backwards.")
			return 5
		case skipped > mostSkipped:
			env.Errorf("Sorry, cannot seek so far: %d bytes.", skipped)
			return 5
		default:
			out.Write(make([]byte, skipped))
			at += skipped
		}
		rest := false
		switch {
		case before >= 0 && digit >= 0:
			out.WriteByte(byte(before<<4 | digit))
			at, want, digit = at+1, want+1, -1
			n++
			rest = !plain && n >= x.cols
		case before < 0 && digit < 0 && beforeThat < 0:
			rest = true
		}
		if rest {
			end := bytes.IndexByte(p[i:], '\n')
			if end < 0 {
				return 0
			}
			i, c = i+end, '\n'
		}
		if c != '\n' {
			continue
		}
		if !plain {
			want = 0
		}
		n, garbage = x.cols, true
	}
	return 0
}

// hexDigit is what a digit stands for, -1 for what is none.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
