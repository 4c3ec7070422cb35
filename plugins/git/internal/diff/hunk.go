package diff

import (
	"bytes"
	"fmt"
	"io"
)

// IsBinary reports whether git would call the text binary: a NUL in its first 8000 bytes.
func IsBinary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 }

// The colours of a patch: git's color.diff.
const (
	fragment   = "\x1b[36m"
	oldColor   = "\x1b[31m"
	newColor   = "\x1b[32m"
	whitespace = "\x1b[41m" // what is wrong with it, in lines that are new
	reset      = "\x1b[m"
)

// Write writes the hunks of a unified diff with that many lines of context, in colours or not.
func Write(w io.Writer, a, b []byte, context int, colored bool) {
	x, y := Lines(a), Lines(b)
	WriteEdits(w, x, y, Compare(x, y), context, colored)
}

// WriteEdits is Write of edits that are known.
func WriteEdits(w io.Writer, x, y [][]byte, edits []Edit, context int, colored bool) {
	p := &patch{w: w, x: x, y: y, context: context, colored: colored}
	p.blank = blankEnd(p.x, p.y)
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].A0-edits[n-1].A1 <= 2*context {
			n++
		}
		p.hunk(edits[:n])
		edits = edits[n:]
	}
}

// A patch is what is written of two texts.
type patch struct {
	w       io.Writer
	x, y    [][]byte
	context int
	colored bool
	blank   int // from which line of y on there are blank lines that x did not end with
}

func (p *patch) hunk(edits []Edit) {
	first, last := edits[0], edits[len(edits)-1]
	before := min(p.context, first.A0)
	after := min(p.context, len(p.x)-last.A1)
	at := fmt.Sprintf("@@ -%s +%s @@", span(first.A0-before, last.A1+after), span(first.B0-before, last.B1+after))
	name := function(p.x, first.A0-before)
	if p.colored {
		at = fragment + at + reset
		if name != "" {
			name = " " + reset + name[1:] + reset
		}
	}
	fmt.Fprintf(p.w, "%s%s\n", at, name)
	line := first.A0 - before
	for _, e := range edits {
		p.lines(' ', "", p.y[e.B0-(e.A0-line):e.B0])
		p.lines('-', oldColor, p.x[e.A0:e.A1])
		p.added(e)
		line = e.A1
	}
	p.lines(' ', "", p.y[last.B1:last.B1+after])
}

func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// function returns the last line before line at that looks like the head of a function: git's
// default rule.
func function(x [][]byte, at int) string {
	for i := at - 1; i >= 0; i-- {
		l := x[i]
		c := l[0]
		if c == '_' || c == '$' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			return " " + string(bytes.TrimRight(l[:min(len(l), 80)], " \t\r\n"))
		}
	}
	return ""
}

func (p *patch) lines(sign byte, color string, lines [][]byte) {
	for _, l := range lines {
		if !p.colored {
			p.w.Write([]byte{sign})
			p.w.Write(l)
			p.end(l)
			continue
		}
		text := bytes.TrimSuffix(l, []byte("\n"))
		bare := bytes.TrimSuffix(text, []byte("\r"))
		fmt.Fprintf(p.w, "%s%c%s%s%s", color, sign, bare, reset, text[len(bare):])
		io.WriteString(p.w, "\n")
		if len(text) == len(l) {
			io.WriteString(p.w, noNewline+reset+"\n")
		}
	}
}

const noNewline = "\\ No newline at end of file"

// end goes to the next line behind l, which may be a last one without its newline.
func (p *patch) end(l []byte) {
	if l[len(l)-1] != '\n' {
		io.WriteString(p.w, "\n"+noNewline+"\n")
	}
}

// added writes the lines that e adds. Colours show where whitespace is at the end of a line or of
// the file, or is spaces before a tab: core.whitespace.
func (p *patch) added(e Edit) {
	if !p.colored {
		p.lines('+', "", p.y[e.B0:e.B1])
		return
	}
	for i, l := range p.y[e.B0:e.B1] {
		text := bytes.TrimSuffix(l, []byte("\n"))
		good := bytes.TrimRight(text, " \t\r")
		if len(good) == 0 && e.B0+i >= p.blank {
			fmt.Fprintf(p.w, "%s+%s%s", whitespace, text, reset)
		} else {
			io.WriteString(p.w, newColor+"+"+reset)
			p.indented(good)
			p.paint(whitespace, text[len(good):])
		}
		io.WriteString(p.w, "\n")
		if len(text) == len(l) {
			io.WriteString(p.w, noNewline+reset+"\n")
		}
	}
}

// indented writes a line: tabs that it begins with stay as they are.
func (p *patch) indented(line []byte) {
	from := 0
	for i, c := range line {
		if c != ' ' && c != '\t' {
			break
		}
		if c == '\t' {
			p.paint(whitespace, line[from:i])
			p.w.Write(line[i : i+1])
			from = i + 1
		}
	}
	p.paint(newColor, line[from:])
}

func (p *patch) paint(color string, text []byte) {
	if len(text) > 0 {
		fmt.Fprintf(p.w, "%s%s%s", color, text, reset)
	}
}

// blankEnd returns from which line on y ends with blank lines, if x ends with fewer; or else a line
// that is not there.
func blankEnd(x, y [][]byte) int {
	trailing := func(lines [][]byte) (n int) {
		for n < len(lines) && len(bytes.TrimSpace(lines[len(lines)-1-n])) == 0 {
			n++
		}
		return n
	}
	if n := trailing(y); n > trailing(x) {
		return len(y) - n
	}
	return len(y)
}
