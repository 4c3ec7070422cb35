package ripgrep

import (
	"bytes"
	"fmt"
	"strconv"
)

// begin writes what stands before the first line of a file.
func (s *search) begin() {
	if s.shown {
		return
	}
	s.shown = true
	switch {
	case s.printed && s.heading:
		s.env.Out.WriteByte('\n')
	case s.printed && s.before+s.after > 0:
		s.separate()
	}
	s.Gap = false
	s.printed = true
	if s.heading && *s.withName {
		s.writeName(s.label)
	}
}

// separate stands between groups of lines that are not adjacent.
func (s *search) separate() {
	if s.hasSeparator {
		s.env.Out.WriteString(s.separator + "\n")
	}
}

// writeName writes a file's name on a line of its own.
func (r *run) writeName(name string) {
	r.env.Out.WriteString(name)
	r.endName('\n')
}

// endName writes what follows a name: a separator, or a NUL.
func (r *run) endName(sep byte) {
	if r.nul {
		sep = 0
	}
	r.env.Out.WriteByte(sep)
}

// writeSelected writes a line that matches, or its matches, or what replaces them.
func (s *search) writeSelected(line []byte, at int64) error {
	if s.invert || !s.only && !s.vimgrep && !s.column && s.replacement == nil {
		s.writeLine(line, s.Line, at, 1, ':')
		return nil
	}
	type part struct {
		column int
		text   []byte
	}
	var parts []part
	var whole []byte
	pos := 0
	err := s.eachMatch(line, func(loc []int) {
		text := line[loc[0]:loc[1]]
		if s.replacement != nil {
			text = expand(nil, *s.replacement, line, loc, s.names)
		}
		whole = append(append(whole, line[pos:loc[0]]...), text...)
		column := loc[0]
		if s.replacement != nil {
			column = len(whole) - len(text)
		}
		parts = append(parts, part{column + 1, text})
		pos = loc[1]
	})
	if err != nil {
		return err
	}
	whole = append(whole, line[pos:]...)
	switch {
	case s.only:
		for _, p := range parts {
			s.writeLine(p.text, s.Line, at+int64(p.column)-1, p.column, ':')
		}
	case s.vimgrep:
		for _, p := range parts {
			s.writeLine(whole, s.Line, at+int64(p.column)-1, p.column, ':')
		}
	default:
		s.writeLine(whole, s.Line, at, parts[0].column, ':')
	}
	return nil
}

// writeLine writes a line with what stands before it. sep is ':' for selected lines, '-' for
// context; column 0 is not shown.
func (s *search) writeLine(line []byte, number, at int64, column int, sep byte) {
	out := s.env.Out
	if *s.withName && !s.heading {
		out.WriteString(s.label)
		s.endName(sep)
	}
	var field [20]byte
	put := func(n int64) {
		out.Write(strconv.AppendInt(field[:0], n, 10))
		out.WriteByte(sep)
	}
	if s.number {
		put(number)
	}
	if s.column && column > 0 {
		put(int64(column))
	}
	if s.offset {
		put(at)
	}
	if s.trim {
		line = bytes.TrimLeft(line, "\t\n\v\f\r ")
	}
	if s.maxColumns > 0 && len(line)+1 > s.maxColumns {
		line = []byte("[Omitted long matching line]")
		if sep == '-' {
			line = []byte("[Omitted long context line]")
		}
	}
	out.Write(line)
	out.WriteByte('\n')
}

// finish writes what can only be said of a whole file.
func (s *search) finish() {
	if s.output == outWithout {
		if s.count == 0 {
			s.matched = true
			if !s.quiet {
				s.writeName(s.label)
			}
		}
		return
	}
	if s.quiet || s.count == 0 && !s.zero {
		return
	}
	switch s.output {
	case outWith:
		if s.count > 0 {
			s.writeName(s.label)
		}
	case outCount:
		s.writeCount(s.count)
	case outCountMatches:
		s.writeCount(s.matches)
	case outLines:
		s.finishBinary()
	}
}

func (s *search) writeCount(n int) {
	if *s.withName {
		s.env.Out.WriteString(s.label)
		s.endName(':')
	}
	fmt.Fprintln(s.env.Out, n)
}

// finishBinary says that lines of a file were not shown.
func (s *search) finishBinary() {
	if s.binary < 0 || s.count == 0 {
		return
	}
	label := ""
	if *s.withName {
		label = s.label + ": "
	}
	if s.explicit {
		if s.Stop {
			fmt.Fprintf(s.env.Out, "%sbinary file matches (found \"\\0\" byte around offset %d)\n", label, s.binary)
		}
		return
	}
	fmt.Fprintf(s.env.Out, "%sWARNING: stopped searching binary file after match (found \"\\0\" byte around offset %d)\n", label, s.binary)
}
