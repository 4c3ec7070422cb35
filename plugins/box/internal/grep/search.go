package grep

import (
	"bytes"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/scan"
)

// A search is the search of one input.
type search struct {
	*run
	scan.Scan
	label    string
	left     int64 // lines still to be selected; below 0 for no limit
	selected int64
	binary   bool // the input holds what is no text
	hidden   bool // a line was selected that is not shown because it is binary
}

const blockSize = 96 << 10

// Over reports whether nobody waits for more.
func (s *search) Over() bool { return s.env.Stopped() }

// Arrived looks for what is no text.
func (s *search) Arrived(p []byte, _ int64) bool {
	if s.delim != 0 && s.config.binary != "text" && bytes.IndexByte(p, 0) >= 0 {
		s.binary = true
		return s.config.binary != "without-match"
	}
	return true
}

// Visit deals with a line: one that is asked for, or another.
func (s *search) Visit(line []byte, at int64, match bool) error {
	if match == s.invert || s.left == 0 {
		s.other(line, at)
		return nil
	}
	s.selected++
	s.matched = true
	if s.left > 0 {
		s.left--
	}
	switch {
	case s.quiet:
		s.done, s.Stop = true, true
	case s.list != listNone:
		s.Stop = true
	case s.count:
		s.Stop = s.left == 0
	case s.hide(line):
		s.hidden, s.Stop = true, s.binary
	default:
		s.show(line, at)
	}
	return nil
}

// hide reports whether a line must not be shown because it is not text.
func (s *search) hide(line []byte) bool {
	return s.binary || s.config.binary != "text" && !utf8.Valid(line)
}

// show shows a selected line with the context before it.
func (s *search) show(line []byte, at int64) {
	s.writeSeparator()
	s.Kept(at, func(line []byte, number, at int64) { s.write(line, number, at, '-') })
	s.write(line, s.Line, at, ':')
	s.Pending = s.after
	s.Gap = false
	s.printed = true
	if s.left == 0 && s.Pending == 0 {
		s.Stop = true
	}
}

// writeSeparator writes "--" between groups of lines that are not adjacent.
func (s *search) writeSeparator() {
	if !s.groups || !s.printed || !s.hasSeparator {
		return
	}
	if s.Gap || s.selected == 1 {
		s.env.Out.WriteString(s.paint("36", s.separator) + "\n")
	}
}

// other deals with a line that is not asked for.
func (s *search) other(line []byte, at int64) {
	if s.quiet || s.count || s.list != listNone {
		return
	}
	if s.Pending > 0 {
		s.Pending--
		if s.hide(line) {
			s.hidden, s.Stop = true, s.binary
			return
		}
		s.write(line, s.Line, at, '-')
		s.Stop = s.left == 0 && s.Pending == 0
		return
	}
	if s.left == 0 {
		s.Stop = true
		return
	}
	s.Keep(line)
}

// finish writes what is known only when the input was read.
func (s *search) finish() {
	out := s.env.Out
	switch {
	case s.quiet:
	case s.list != listNone:
		if (s.selected > 0) == (s.list == listMatching) {
			out.WriteString(s.paint("35", s.label))
			s.endName('\n')
		}
	case s.count:
		if s.names == namesAlways {
			out.WriteString(s.paint("35", s.label))
			s.endName(':')
		}
		writeInt(out, s.selected)
		out.WriteByte('\n')
	case s.hidden:
		s.env.Errorf("%s: binary file matches", s.label)
	}
}
