package awk

import (
	"bytes"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A skipper finds lines for a program whose rules leave out many, all at once, as grep does.
type skipper struct {
	re *regex.Regexp // chooses for the only rule; nil: there are no rules
}

// newSkipper returns nil for rules that have to look at each record. Patterns of awk have no
// back-references, which FirstLine would not look at.
func newSkipper(rules []*rule) *skipper {
	if len(rules) == 0 {
		return &skipper{}
	}
	if len(rules) > 1 || rules[0].until != nil {
		return nil
	}
	if lit, ok := rules[0].pattern.(*regexLit); ok && bytes.IndexByte(lit.re.Literal(), '\n') < 0 {
		return &skipper{lit.re}
	}
	return nil
}

// skip passes over lines at hand that the rule is not for, and returns the next one if the rule is
// for it. The last line before becomes the record, which END can ask for.
func (in *interp) skip(s *skipper) (line string, chosen bool) {
	r := in.input.cur
	if r == nil || in.rs != "\n" {
		return "", false
	}
	p := r.copy()
	next := s.next(p)
	end := bytes.LastIndexByte(p[:next], '\n') // what is behind may be a part of a line
	if end >= 0 {
		n := float64(tool.CountByte(p[:end+1], '\n'))
		in.nr += n
		in.fnr += n
		start := bytes.LastIndexByte(p[:end], '\n') + 1
		in.record.set(lent(r.text[start:end]))
		r.text = r.text[end+1:]
	}
	if next == len(p) || s.re == nil {
		return "", false
	}
	n := strings.IndexByte(r.text, '\n')
	if n < 0 {
		return "", false
	}
	line = r.text[:n]
	r.text = r.text[n+1:]
	return line, true
}

// next returns where the first line of p begins that contains a match, or len(p).
func (s *skipper) next(p []byte) int {
	switch {
	case s.re == nil:
		return len(p)
	case s.re.Literal() == nil:
		return s.re.FirstLine(p, '\n')
	}
	i := bytes.Index(p, s.re.Literal())
	if i < 0 {
		return len(p)
	}
	return bytes.LastIndexByte(p[:i], '\n') + 1
}
