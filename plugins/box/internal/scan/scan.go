// Package scan goes through the lines of an input for those that search it.
package scan

import (
	"bytes"
	"io"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A Scan goes through one input, block by block, each ending with a whole line. What can't match
// and need not be shown is passed over at once.
type Scan struct {
	Regexp *regex.Regexp // nil: nothing matches
	Delim  byte          // ends lines
	Every  bool          // each line is looked at
	Number bool          // lines are numbered
	Before int           // how many lines that are not shown are kept for one that will be

	Line    int64 // number of the current line
	Pending int   // how many lines are shown still, whatever is in them
	Gap     bool  // lines were left out since the last one shown
	Stop    bool  // nothing more is asked for

	base    int64 // bytes before the current block
	context [][]byte
}

// A Visitor does with an input what it is searched for.
type Visitor interface {
	// Over reports whether nobody waits for more.
	Over() bool
	// Arrived is told what was read, which it may change, and how much came before it. It reports
	// whether to go on.
	Arrived(p []byte, at int64) bool
	// Visit is given a line, which lasts as long as the call, where it is, and whether it matches.
	Visit(line []byte, at int64, match bool) error
}

// Run goes through r, of which it reads as much into room as that has, at a time, or more elsewhere
// where a line is longer. The room is free again when it returns: who searches many files need not
// make it for each.
func (s *Scan) Run(r io.Reader, room []byte, v Visitor) error {
	buf := room[:0]
	for !s.Stop && !v.Over() {
		if len(buf) == cap(buf) {
			if err := tool.Keep(2 * cap(buf)); err != nil {
				return err
			}
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		if err != nil && err != io.EOF {
			return err
		}
		fresh := buf[len(buf) : len(buf)+n]
		if !v.Arrived(fresh, s.base+int64(len(buf))) {
			return nil
		}
		end := bytes.LastIndexByte(fresh, s.Delim) + 1
		if end > 0 {
			end += len(buf) // before which no line ends
		}
		buf = buf[:len(buf)+n]
		if err != nil {
			end = len(buf)
		}
		if e := s.block(buf[:end], v); e != nil || err != nil {
			return e
		}
		s.base += int64(end)
		buf = buf[:copy(buf, buf[end:])]
	}
	return nil
}

// block goes through whole lines.
func (s *Scan) block(p []byte, v Visitor) error {
	skips := s.Regexp != nil && !s.Every && s.Before == 0
	for pos := 0; pos < len(p) && !s.Stop; {
		if skips && s.Pending == 0 {
			if pos += s.skip(p[pos:]); pos == len(p) {
				break
			}
		}
		end := len(p)
		if i := bytes.IndexByte(p[pos:], s.Delim); i >= 0 {
			end = pos + i
		}
		line := p[pos:end]
		s.Line++
		match := false
		if s.Regexp != nil {
			var err error
			if match, err = s.Regexp.Match(line); err != nil {
				return err
			}
		}
		if err := v.Visit(line, s.base+int64(pos), match); err != nil {
			return err
		}
		pos = min(end+1, len(p))
	}
	for i, line := range s.context {
		s.context[i] = bytes.Clone(line) // the block is about to be overwritten
	}
	return nil
}

// skip returns how many bytes of p are lines that can't match and need not be shown.
func (s *Scan) skip(p []byte) int {
	var i int
	if need := s.Regexp.Need(); len(need) == 0 {
		i = s.Regexp.FirstLine(p, s.Delim)
	} else if i = bytes.Index(p, need); i < 0 {
		i = len(p)
	} else {
		i = bytes.LastIndexByte(p[:i], s.Delim) + 1
	}
	if i == 0 {
		return 0
	}
	s.Gap = true
	if s.Number {
		s.Line += int64(tool.CountByte(p[:i], s.Delim))
	}
	return i
}

// Keep keeps the current line, which is not shown, for one that will be.
func (s *Scan) Keep(line []byte) {
	if s.Before == 0 {
		s.Gap = true
		return
	}
	if len(s.context) == s.Before {
		s.Gap = true
		s.context = append(s.context[:0], s.context[1:]...)
	}
	s.context = append(s.context, line)
}

// Kept calls f with each line that was kept, its number and where it is, given where the current
// line is, and forgets them.
func (s *Scan) Kept(at int64, f func(line []byte, number, at int64)) {
	for _, line := range s.context {
		at -= int64(len(line)) + 1
	}
	for i, line := range s.context {
		f(line, s.Line-int64(len(s.context)-i), at)
		at += int64(len(line)) + 1
	}
	s.context = s.context[:0]
}
