package diff

import (
	"bytes"
	"fmt"
	"io"
)

// IsBinary reports whether git would call the text binary: a NUL in its first 8000 bytes.
func IsBinary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 }

// Write writes the hunks of a unified diff with that many lines of context.
func Write(w io.Writer, a, b []byte, context int) {
	x, y := Lines(a), Lines(b)
	edits := Compare(x, y)
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].A0-edits[n-1].A1 <= 2*context {
			n++
		}
		writeHunk(w, x, y, edits[:n], context)
		edits = edits[n:]
	}
}

func writeHunk(w io.Writer, x, y [][]byte, edits []Edit, context int) {
	first, last := edits[0], edits[len(edits)-1]
	before := min(context, first.A0)
	after := min(context, len(x)-last.A1)
	fmt.Fprintf(w, "@@ -%s +%s @@%s\n",
		span(first.A0-before, last.A1+after), span(first.B0-before, last.B1+after), function(x, first.A0-before))
	at := first.A0 - before
	for _, e := range edits {
		writeLines(w, ' ', x[at:e.A0])
		writeLines(w, '-', x[e.A0:e.A1])
		writeLines(w, '+', y[e.B0:e.B1])
		at = e.A1
	}
	writeLines(w, ' ', x[at:last.A1+after])
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

// function returns the last line before line at that looks like the head of a function: git's default rule.
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

func writeLines(w io.Writer, sign byte, lines [][]byte) {
	for _, l := range lines {
		w.Write([]byte{sign})
		w.Write(l)
		if l[len(l)-1] != '\n' {
			io.WriteString(w, "\n\\ No newline at end of file\n")
		}
	}
}
