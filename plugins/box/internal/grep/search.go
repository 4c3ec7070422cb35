package grep

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// A search is the search of one input.
type search struct {
	*run
	label    string
	left     int64 // lines still to be selected; below 0 for no limit
	selected int64
	binary   bool // the input holds what is no text
	hidden   bool // a line was selected that is not shown because it is binary

	line    int64 // number of the current line
	base    int64 // bytes before the current block
	buf     []byte
	context [][]byte // the last lines before the current one, not shown yet
	pending int      // lines of context to show still
	gap     bool     // lines were left out since the last one shown
	stop    bool
}

const blockSize = 96 << 10

// search reads r block by block, each ending with a whole line.
func (s *search) search(r io.Reader) error {
	s.buf = make([]byte, 0, blockSize)
	for !s.stop && !s.env.Stopped() {
		if len(s.buf) == cap(s.buf) {
			s.buf = append(make([]byte, 0, 2*cap(s.buf)), s.buf...)
		}
		n, err := r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if err != nil && err != io.EOF {
			return err
		}
		end := len(s.buf)
		if err == nil {
			end = bytes.LastIndexByte(s.buf, s.delim) + 1
		}
		if s.delim != 0 && s.config.binary != "text" && bytes.IndexByte(s.buf[:end], 0) >= 0 {
			s.binary = true
			if s.config.binary == "without-match" {
				return nil
			}
		}
		if e := s.block(s.buf[:end]); e != nil {
			return e
		}
		if err == io.EOF {
			return nil
		}
		s.base += int64(end)
		s.buf = s.buf[:copy(s.buf, s.buf[end:])]
	}
	return nil
}

// block searches whole lines.
func (s *search) block(p []byte) error {
	for pos := 0; pos < len(p) && !s.stop; {
		pos += s.skip(p[pos:])
		if pos == len(p) {
			break
		}
		end := len(p)
		if i := bytes.IndexByte(p[pos:], s.delim); i >= 0 {
			end = pos + i
		}
		line := p[pos:end]
		s.line++
		match, err := false, error(nil)
		if s.re != nil {
			match, err = s.re.Match(line)
		}
		if err != nil {
			return err
		}
		if match != s.invert && s.left != 0 {
			s.selectLine(line, s.base+int64(pos))
		} else {
			s.other(line, s.base+int64(pos))
		}
		pos = min(end+1, len(p))
	}
	for i, line := range s.context {
		s.context[i] = bytes.Clone(line) // the block is about to be overwritten
	}
	return nil
}

// skip returns how many bytes of p are lines that can't match and need not be shown.
func (s *search) skip(p []byte) int {
	if s.re == nil || s.invert || s.before > 0 || s.pending > 0 {
		return 0
	}
	var i int
	if need := s.re.Need(); len(need) == 0 {
		i = s.re.FirstLine(p, s.delim)
	} else if i = bytes.Index(p, need); i < 0 {
		i = len(p)
	} else {
		i = bytes.LastIndexByte(p[:i], s.delim) + 1
	}
	if i == 0 {
		return 0
	}
	s.gap = true
	if s.number {
		s.line += int64(bytes.Count(p[:i], []byte{s.delim}))
	}
	return i
}

// selectLine deals with a line that is asked for.
func (s *search) selectLine(line []byte, at int64) {
	s.selected++
	s.matched = true
	if s.left > 0 {
		s.left--
	}
	switch {
	case s.quiet:
		s.done, s.stop = true, true
	case s.list != listNone:
		s.stop = true
	case s.count:
		s.stop = s.left == 0
	case s.hide(line):
		s.hidden, s.stop = true, s.binary
	default:
		s.show(line, at)
	}
}

// hide reports whether a line must not be shown because it is not text.
func (s *search) hide(line []byte) bool {
	return s.binary || s.config.binary != "text" && !utf8.Valid(line)
}

// show shows a selected line with the context before it.
func (s *search) show(line []byte, at int64) {
	s.writeSeparator()
	n := int64(len(s.context))
	before := at
	for _, c := range s.context {
		before -= int64(len(c)) + 1
	}
	for i, c := range s.context {
		s.write(c, s.line-n+int64(i), before, '-')
		before += int64(len(c)) + 1
	}
	s.context = s.context[:0]
	s.write(line, s.line, at, ':')
	s.pending = s.after
	s.gap = false
	s.printed = true
	if s.left == 0 && s.pending == 0 {
		s.stop = true
	}
}

// writeSeparator writes "--" between groups of lines that are not adjacent.
func (s *search) writeSeparator() {
	if s.before == 0 && s.after == 0 || !s.printed || !s.hasSeparator {
		return
	}
	if s.gap || s.selected == 1 {
		s.env.Out.WriteString(s.paint("36", s.separator) + "\n")
	}
}

// other deals with a line that is not asked for.
func (s *search) other(line []byte, at int64) {
	if s.quiet || s.count || s.list != listNone {
		return
	}
	if s.pending > 0 {
		s.pending--
		if s.hide(line) {
			s.hidden, s.stop = true, s.binary
			return
		}
		s.write(line, s.line, at, '-')
		s.stop = s.left == 0 && s.pending == 0
		return
	}
	if s.left == 0 {
		s.stop = true
		return
	}
	if s.before == 0 {
		s.gap = true
		return
	}
	if len(s.context) == s.before {
		s.gap = true
		copy(s.context, s.context[1:])
		s.context = s.context[:s.before-1]
	}
	s.context = append(s.context, line)
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
		if s.list == listOthers {
			s.matched = s.matched || s.selected == 0
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
