package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const nlOptions = "b,body-numbering= d,section-delimiter= f,footer-numbering= h,header-numbering= i,line-increment= " +
	"l,join-blank-lines= n,number-format= p,no-renumber s,number-separator= v,starting-line-number= w,number-width="

// A numbering is which lines of a section get numbers: 'a' all, 't' those that are not empty, 'n'
// none, 'p' those that match.
type numbering struct {
	style byte
	re    *regex.Regexp
}

type nlState struct {
	sections  [3]numbering // header, body, footer
	section   int
	delim     string // two characters
	step      int64
	join      int64 // this many empty lines count as one
	format    string
	renumber  bool
	separator string
	first     int64
	width     int

	number int64
	blank  int64 // empty lines since the last numbered one
}

func nl(env *tool.Env, args []string) int {
	opts, status := env.Options(args, nlOptions)
	if opts == nil {
		return status
	}
	s := nlState{
		sections: [3]numbering{{style: 'n'}, {style: 't'}, {style: 'n'}}, section: 1, delim: `\:`,
		step: 1, join: 1, format: "rn", renumber: true, separator: "\t", first: 1, width: 6,
	}
	bad := false
	number := func(dst *int64, arg, what string, least int64) {
		n, err := strconv.ParseInt(arg, 10, 64)
		switch {
		case err != nil:
			env.Errorf("invalid %s: %s", what, env.Quote(arg))
		case n < least:
			env.Errorf("invalid %s: %s: Numerical result out of range", what, env.Quote(arg))
		default:
			*dst = n
			return
		}
		status = 1
	}
	for _, o := range opts.Options {
		switch o.Name {
		case "b", "h", "f":
			i := strings.Index("hbf", o.Name)
			if !s.sections[i].parse(env, o.Arg, [...]string{"header", "body", "footer"}[i]) {
				bad = true
			}
		case "d":
			s.delim = o.Arg
			if len(o.Arg) == 1 {
				s.delim += ":"
			}
		case "i":
			number(&s.step, o.Arg, "line number increment", -1<<62)
		case "l":
			number(&s.join, o.Arg, "line number of blank lines", 1)
		case "n":
			s.format = o.Arg
			if o.Arg != "ln" && o.Arg != "rn" && o.Arg != "rz" {
				env.Errorf("invalid line numbering format: %s", env.Quote(o.Arg))
				bad = true
			}
		case "p":
			s.renumber = false
		case "s":
			s.separator = o.Arg
		case "v":
			number(&s.first, o.Arg, "starting line number", -1<<62)
		case "w":
			w := int64(6)
			number(&w, o.Arg, "line number field width", 1)
			s.width = int(min(w, 1<<16))
		}
	}
	if status != 0 {
		return status
	}
	if bad {
		return env.TryHelp()
	}
	s.number = s.first
	return env.EachLine(opts.Operands, '\n', func(line []byte) { s.line(env, line) })
}

// parse reads a style: a, t, n or pREGEX.
func (n *numbering) parse(env *tool.Env, arg, what string) bool {
	switch {
	case arg == "a", arg == "t", arg == "n":
		n.style = arg[0]
		return true
	case strings.HasPrefix(arg, "p"):
		re, err := regex.Compile(arg[1:], regex.Options{})
		if err == nil {
			n.style, n.re = 'p', re
			return true
		}
		env.Errorf("%v", err)
		return false
	}
	env.Errorf("invalid %s numbering style: %s", what, env.Quote(arg))
	return false
}

// line writes one line, or begins the section that it announces.
func (s *nlState) line(env *tool.Env, line []byte) {
	if n := len(s.delim); n > 0 {
		for i := 3; i > 0; i-- {
			if string(line) == strings.Repeat(s.delim, i) {
				s.section = 3 - i
				if s.renumber {
					s.number = s.first
				}
				env.Out.WriteByte('\n')
				return
			}
		}
	}
	if !s.counts(line) {
		env.Out.WriteString(strings.Repeat(" ", s.width+len(s.separator)))
		env.Out.Write(line)
		env.Out.WriteByte('\n')
		return
	}
	switch s.format {
	case "ln":
		fmt.Fprintf(env.Out, "%-*d", s.width, s.number)
	case "rz":
		fmt.Fprintf(env.Out, "%0*d", s.width, s.number)
	default:
		fmt.Fprintf(env.Out, "%*d", s.width, s.number)
	}
	env.Out.WriteString(s.separator)
	env.Out.Write(line)
	env.Out.WriteByte('\n')
	s.number += s.step
}

// counts reports whether line gets a number.
func (s *nlState) counts(line []byte) bool {
	switch n := s.sections[s.section]; n.style {
	case 'a':
		if len(line) > 0 || s.join == 1 {
			s.blank = 0
			return true
		}
		s.blank++
		if s.blank < s.join {
			return false
		}
		s.blank = 0
		return true
	case 't':
		return len(line) > 0
	case 'p':
		ok, _ := n.re.Match(line)
		return ok
	}
	return false
}
