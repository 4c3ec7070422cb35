package system

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// pages are the lines of a file, which is read as far as it is needed. A pager keeps what it has
// read: a pipe has nothing else.
type pages struct {
	r     *bufio.Reader
	lines []string
	ended bool
}

// newPages fails where r can't be read at all, as a directory can't.
func newPages(r io.Reader) (*pages, error) {
	t := &pages{r: bufio.NewReaderSize(r, 32<<10)}
	if _, err := t.r.Peek(1); err != nil && err != io.EOF {
		return nil, err
	}
	return t, nil
}

// line returns a line, from 0. It is false behind the last.
func (t *pages) line(n int) (string, bool) {
	for n >= len(t.lines) && !t.ended {
		b, err := t.r.ReadBytes('\n')
		if err != nil {
			t.ended = true
		}
		if len(b) > 0 {
			t.lines = append(t.lines, string(bytes.TrimSuffix(b, []byte("\n"))))
		}
	}
	if n < 0 || n >= len(t.lines) {
		return "", false
	}
	return t.lines[n], true
}

// count reads everything, and returns how many lines there are.
func (t *pages) count() int {
	for n := len(t.lines); ; n = len(t.lines) {
		if _, ok := t.line(n); !ok {
			return len(t.lines)
		}
	}
}

// A row is what of a line is in one row of the screen. Its text is what the terminal is sent.
type row struct{ text string }

// layout returns the rows of a line, one with -S.
func (p *pager) layout(line string) []row {
	var rows []row
	var b strings.Builder
	width := p.width()
	col, skipped, color := 0, 0, ""
	end := func() {
		if color != "" {
			b.WriteString("\x1b[m")
		}
		rows = append(rows, row{b.String()})
		b.Reset()
		col = 0
		b.WriteString(color)
	}
	put := func(text string, w int) bool {
		if p.chop && skipped < p.left {
			skipped += w
			return true
		}
		if col+w > width {
			if p.chop {
				return false
			}
			end()
		}
		b.WriteString(text)
		col += w
		return true
	}
	marks := p.pattern.marks(line)
	marked := false
	for i := 0; i < len(line); {
		if on := marks.has(i); on != marked {
			marked = on
			b.WriteString(map[bool]string{true: "\x1b[7m", false: "\x1b[27m"}[on])
		}
		if n := colorSequence(line[i:]); n > 0 && p.raw {
			color = line[i : i+n]
			if color == "\x1b[m" || color == "\x1b[0m" {
				color = ""
			}
			b.WriteString(line[i : i+n])
			i += n
			continue
		}
		c, size := utf8.DecodeRuneInString(line[i:])
		text, w := line[i:i+size], 0
		switch {
		case c == '\t':
			w = 8 - (col+skipped)%8
			text = strings.Repeat(" ", w)
		case c == utf8.RuneError && size == 1:
			text = "<" + strings.ToUpper(hexByte(line[i])) + ">"
			w = len(text)
		case c == '\b' && i+1 < len(line): // as man prints what is bold
			i += size
			continue
		case c == '\r' && i+1 == len(line):
		case c < ' ' || c == 0x7f:
			text, w = "^"+string(c^0x40), 2
		case c >= 0x80 && c < 0xa0:
			text = "<" + strings.ToUpper(hexByte(byte(c))) + ">"
			w = len(text)
		default:
			w = tool.RuneWidth(c)
		}
		i += size
		if !put(text, w) {
			break
		}
	}
	if marked {
		b.WriteString("\x1b[27m")
	}
	end()
	return rows
}

func hexByte(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}

// colorSequence returns how long the colour is that s begins with, 0 if it does not: -R shows no
// other sequences.
func colorSequence(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c >= '0' && c <= '9', c == ';', c == ':':
		default:
			return 0
		}
	}
	return 0
}

// height is how many rows a line takes.
func (p *pager) height(line string) int {
	if p.chop {
		return 1
	}
	return len(p.layout(line))
}
