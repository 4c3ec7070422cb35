package ripgrep

import (
	"bytes"
	"errors"
	"io"
	"syscall"
)

// A search is the search of one input.
type search struct {
	*run
	label    string
	explicit bool // the user named it: it is searched to its end, text or not
	count    int  // lines that were selected
	matches  int
	binary   int64 // where its first NUL is, -1 if there is none
	stop     bool

	line    int64    // number of the current line
	base    int64    // bytes before the current block
	context [][]byte // the last lines before the current one, not shown yet
	pending int      // lines of context to show still
	gap     bool     // lines were left out since the last one shown
	shown   bool
}

// blockSize is ripgrep's: a file is binary if there is a NUL before the line that is looked at, or in its block.
const blockSize = 64 << 10

// search searches one file, shown as label.
func (r *run) search(name, label string, explicit bool) {
	f, err := r.env.Input(name)
	if err != nil {
		r.fail(label, err)
		return
	}
	defer f.Close()
	r.searched = true
	s := &search{run: r, label: label, explicit: explicit || r.config.binary, binary: -1}
	if err := s.read(f); err != nil {
		if errors.Is(err, syscall.EISDIR) || !s.over() {
			r.fail(label, err)
		}
	}
	s.finish()
}

// read reads block by block, each ending with a whole line.
func (s *search) read(r io.Reader) error {
	buf := make([]byte, 0, blockSize)
	for !s.stop && !s.over() {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		fresh := buf[len(buf) : len(buf)+n]
		buf = buf[:len(buf)+n]
		if err != nil && err != io.EOF {
			return err
		}
		last := err == io.EOF
		if i := bytes.IndexByte(fresh, 0); i >= 0 && !s.text {
			if s.binary < 0 {
				s.binary = s.base + int64(len(buf)-n+i)
			}
			if !s.explicit {
				return nil
			}
			for j, c := range fresh { // lines end there, too
				if c == 0 {
					fresh[j] = '\n'
				}
			}
		}
		end := len(buf)
		if !last {
			end = bytes.LastIndexByte(buf, '\n') + 1
		}
		if err := s.block(buf[:end]); err != nil || last {
			return err
		}
		s.base += int64(end)
		buf = buf[:copy(buf, buf[end:])]
	}
	return nil
}

// block searches whole lines.
func (s *search) block(p []byte) error {
	for pos := 0; pos < len(p) && !s.stop; {
		pos += s.skipLines(p[pos:])
		if pos == len(p) {
			break
		}
		end := len(p)
		if i := bytes.IndexByte(p[pos:], '\n'); i >= 0 {
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
		if match != s.invert && (s.maxCount < 0 || s.count < s.maxCount) {
			err = s.selectLine(line, s.base+int64(pos))
		} else {
			s.other(line, s.base+int64(pos), match != s.invert)
		}
		if err != nil {
			return err
		}
		pos = min(end+1, len(p))
	}
	for i, line := range s.context {
		s.context[i] = bytes.Clone(line) // the block is about to be overwritten
	}
	return nil
}

// skipLines returns how many bytes of p are lines that can't match and need not be shown.
func (s *search) skipLines(p []byte) int {
	if s.re == nil || s.invert || s.before > 0 || s.pending > 0 || s.passthru {
		return 0
	}
	var i int
	if need := s.re.Need(); len(need) == 0 {
		i = s.re.FirstLine(p, '\n')
	} else if i = bytes.Index(p, need); i < 0 {
		i = len(p)
	} else {
		i = bytes.LastIndexByte(p[:i], '\n') + 1
	}
	if i == 0 {
		return 0
	}
	s.gap = true
	if s.number {
		s.line += int64(bytes.Count(p[:i], []byte{'\n'}))
	}
	return i
}

// selectLine deals with a line that is asked for.
func (s *search) selectLine(line []byte, at int64) error {
	s.count++
	s.matched = s.matched || s.output != outWithout
	switch {
	case s.output == outWith, s.output == outWithout, s.quiet:
		s.stop = true
	case s.output == outCount:
	case s.output == outCountMatches:
		return s.eachMatch(line, func([]int) { s.matches++ })
	case s.binary >= 0 && s.explicit:
		s.stop = true // finish tells
	default:
		return s.show(line, at)
	}
	s.stop = s.stop || s.count == s.maxCount
	return nil
}

// show shows a selected line with the context before it.
func (s *search) show(line []byte, at int64) error {
	s.begin()
	if s.before+s.after > 0 && s.shown && s.gap {
		s.separate()
	}
	n := int64(len(s.context))
	before := at
	for _, c := range s.context {
		before -= int64(len(c)) + 1
	}
	for i, c := range s.context {
		s.writeLine(c, s.line-n+int64(i), before, 0, '-')
		before += int64(len(c)) + 1
	}
	s.context = s.context[:0]
	err := s.writeSelected(line, at)
	s.pending, s.gap, s.shown = s.after, false, true
	s.stop = s.count == s.maxCount && s.pending == 0 && !s.passthru
	return err
}

// other deals with a line that is not asked for, or is one more than -m allows: ripgrep marks those in the context of
// the last one as matches still.
func (s *search) other(line []byte, at int64, match bool) {
	if s.output != outLines || s.quiet {
		return
	}
	switch {
	case s.passthru && (s.binary < 0 || !s.explicit):
		s.begin()
		s.writeLine(line, s.line, at, 0, '-')
	case s.pending > 0:
		s.pending--
		sep := byte('-')
		if match {
			sep = ':'
		}
		s.writeLine(line, s.line, at, 0, sep)
		s.stop = s.count == s.maxCount && s.pending == 0
	case s.count == s.maxCount:
		s.stop = true
	case s.before == 0:
		s.gap = true
	default:
		if len(s.context) == s.before {
			s.gap = true
			s.context = append(s.context[:0], s.context[1:]...)
		}
		s.context = append(s.context, line)
	}
}

// eachMatch calls f with the edges of each match, and of its groups.
func (s *search) eachMatch(line []byte, f func(loc []int)) error {
	last := -1 // where the last match ended
	for pos := 0; pos <= len(line); {
		loc, err := s.re.Find(line, pos)
		if loc == nil || err != nil {
			return err
		}
		lo, hi := loc[0], loc[1]
		if lo < hi || lo != last {
			f(loc)
			last = hi
		}
		if pos = hi; lo == hi {
			for pos++; pos < len(line) && line[pos]&0xc0 == 0x80; pos++ {
			}
		}
	}
	return nil
}
