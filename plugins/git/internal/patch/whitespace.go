package patch

import "bytes"

// A Flaw is whitespace that a patch adds and should not: git-config(1), core.whitespace.
type Flaw struct {
	At   int // the line of the patch
	What string
	Text []byte // the line, without its sign and newline
}

// Flaws returns what is wrong with the whitespace of added lines.
func (f *File) Flaws() (flaws []Flaw) {
	for _, h := range f.Hunks {
		at := h.At
		for _, l := range h.Lines {
			at++
			if l.Op == '+' {
				if what := LineFlaw(l.Text); what != "" {
					flaws = append(flaws, Flaw{at, what, bytes.TrimSuffix(l.Text, []byte("\n"))})
				}
			}
			if !bytes.HasSuffix(l.Text, []byte("\n")) {
				at++ // "\ No newline at end of file"
			}
		}
	}
	return flaws
}

// LineFlaw returns what is wrong with the whitespace of a line; "" for nothing.
func LineFlaw(l []byte) string {
	text := bytes.TrimSuffix(l, []byte("\n"))
	what := ""
	if len(bytes.TrimRight(text, " \t\r\v\f")) < len(text) {
		what = "trailing whitespace"
	}
	indent := text[:len(text)-len(bytes.TrimLeft(text, " \t"))]
	if bytes.Contains(indent, []byte(" \t")) {
		if what != "" {
			what += ", "
		}
		what += "space before tab in indent"
	}
	return what
}

// Mend removes the flaws that Flaws finds, and returns how many lines had some.
func (f *File) Mend() (n int) {
	for _, h := range f.Hunks {
		for i := range h.Lines {
			l := &h.Lines[i]
			if l.Op != '+' || LineFlaw(l.Text) == "" {
				continue
			}
			n++
			text := bytes.TrimRight(bytes.TrimSuffix(l.Text, []byte("\n")), " \t\r\v\f")
			body := bytes.TrimLeft(text, " \t")
			indent := bytes.ReplaceAll(text[:len(text)-len(body)], []byte(" \t"), []byte("\t"))
			mended := append(append([]byte{}, indent...), body...)
			if bytes.HasSuffix(l.Text, []byte("\n")) {
				mended = append(mended, '\n')
			}
			l.Text = mended
		}
	}
	return n
}
