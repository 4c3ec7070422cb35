package ripgrep

import (
	"bytes"
	"errors"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/scan"
)

// A search is the search of one input.
type search struct {
	*run
	scan.Scan
	label    string
	explicit bool // the user named it: it is searched to its end, text or not
	count    int  // lines that were selected
	matches  int
	binary   int64 // where its first NUL is, -1 if there is none
	shown    bool
}

// blockSize is ripgrep's: a file is binary if there is a NUL before the line that is looked at, or
// in its block.
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
	s.Scan = scan.Scan{Regexp: r.re, Delim: '\n', Every: r.invert || r.passthru, Number: r.number, Before: r.before}
	if err := s.Run(f, r.room, s); err != nil {
		if errors.Is(err, syscall.EISDIR) || !s.over() {
			r.fail(label, err)
		}
	}
	s.finish()
}

// Over reports whether nobody waits for more.
func (s *search) Over() bool { return s.over() }

// Arrived looks for what is no text.
func (s *search) Arrived(p []byte, at int64) bool {
	i := bytes.IndexByte(p, 0)
	if i < 0 || s.text {
		return true
	}
	if s.binary < 0 {
		s.binary = at + int64(i)
	}
	for j, c := range p { // lines end there, too
		if c == 0 {
			p[j] = '\n'
		}
	}
	return s.explicit
}

// Visit deals with a line.
func (s *search) Visit(line []byte, at int64, match bool) error {
	if match != s.invert && (s.maxCount < 0 || s.count < s.maxCount) {
		return s.selectLine(line, at)
	}
	s.other(line, at, match != s.invert)
	return nil
}

// selectLine deals with a line that is asked for.
func (s *search) selectLine(line []byte, at int64) error {
	s.count++
	s.matched = s.matched || s.output != outWithout
	switch {
	case s.output == outWith, s.output == outWithout, s.quiet:
		s.Stop = true
	case s.output == outCount:
	case s.output == outCountMatches:
		return s.eachMatch(line, func([]int) { s.matches++ })
	case s.binary >= 0 && s.explicit:
		s.Stop = true // finish tells
	default:
		return s.show(line, at)
	}
	s.Stop = s.Stop || s.count == s.maxCount
	return nil
}

// show shows a selected line with the context before it.
func (s *search) show(line []byte, at int64) error {
	s.begin()
	if s.before+s.after > 0 && s.shown && s.Gap {
		s.separate()
	}
	s.Kept(at, func(line []byte, number, at int64) { s.writeLine(line, number, at, 0, '-') })
	err := s.writeSelected(line, at)
	s.Pending, s.Gap, s.shown = s.after, false, true
	s.Stop = s.count == s.maxCount && s.Pending == 0 && !s.passthru
	return err
}

// other deals with a line that is not asked for, or is one more than -m allows: ripgrep marks those
// in the context of the last one as matches still.
func (s *search) other(line []byte, at int64, match bool) {
	if s.output != outLines || s.quiet {
		return
	}
	switch {
	case s.passthru && (s.binary < 0 || !s.explicit):
		s.begin()
		s.writeLine(line, s.Line, at, 0, '-')
	case s.Pending > 0:
		s.Pending--
		sep := byte('-')
		if match {
			sep = ':'
		}
		s.writeLine(line, s.Line, at, 0, sep)
		s.Stop = s.count == s.maxCount && s.Pending == 0
	case s.count == s.maxCount:
		s.Stop = true
	default:
		s.Keep(line)
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
