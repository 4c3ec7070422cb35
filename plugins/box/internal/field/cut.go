package field

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const cutOptions = "b,bytes= c,characters= d,delimiter= f,fields= n complement s,only-delimited output-delimiter= z,zero-terminated"

// A span is lo to hi, both included, counted from 1.
type span struct{ lo, hi int }

type cutter struct {
	spans      []span
	complement bool
	delim      byte
	sep        []byte // of the output; nil for none
	only       bool
	end        byte
}

func cut(env *tool.Env, args []string) int {
	opts, status := env.Options(args, cutOptions)
	if opts == nil {
		return status
	}
	c := &cutter{delim: '\t', end: '\n'}
	list, kind, hasDelim := "", byte(0), false
	for _, o := range opts.Options {
		switch o.Name {
		case "b", "c", "f":
			if kind != 0 {
				return env.UsageError("only one list may be specified")
			}
			list, kind = o.Arg, o.Name[0]
		case "d":
			if len(o.Arg) > 1 {
				return env.UsageError("the delimiter must be a single character")
			}
			c.delim, hasDelim = 0, true
			if o.Arg != "" {
				c.delim = o.Arg[0]
			}
		case "complement":
			c.complement = true
		case "s":
			c.only = true
		case "output-delimiter":
			c.sep = []byte(o.Arg)
			if o.Arg == "" {
				c.sep = []byte{0}
			}
		case "z":
			c.end = 0
		}
	}
	switch {
	case kind == 0:
		return env.UsageError("you must specify a list of bytes, characters, or fields")
	case kind != 'f' && hasDelim:
		return env.UsageError("an input delimiter may be specified only when operating on fields")
	case kind != 'f' && c.only:
		return env.UsageError("suppressing non-delimited lines makes sense\n\tonly when operating on fields")
	}
	spans, err := parseList(env, list, kind == 'f')
	if err != nil {
		return env.UsageError("%v", err)
	}
	c.spans = spans
	if c.complement {
		c.spans = invert(spans)
	}
	if kind == 'f' && c.sep == nil {
		c.sep = []byte{c.delim}
	}
	return env.EachLine(opts.Operands, c.end, func(line []byte) {
		if kind == 'f' {
			c.fields(env, line)
			return
		}
		c.bytes(env, line)
	})
}

// parseList parses N, N-, -M and N-M, separated by commas or blanks, and returns them in order and
// joined.
func parseList(env *tool.Env, list string, fields bool) ([]span, error) {
	invalid := "invalid byte or character range"
	if fields {
		invalid = "invalid field range"
	}
	var spans []span
	for _, word := range strings.FieldsFunc(list+" ", func(c rune) bool { return c == ',' || c == ' ' || c == '\t' }) {
		if word == "-" {
			return nil, errors.New("invalid range with no endpoint: -")
		}
		lo, hi, isRange := strings.Cut(word, "-")
		s := span{1, math.MaxInt}
		for i, text := range []string{lo, hi} {
			if text == "" {
				continue
			}
			n := 0
			for _, d := range text {
				if d < '0' || d > '9' {
					if isRange {
						return nil, errors.New(invalid)
					}
					if fields {
						return nil, fmt.Errorf("invalid field value %s", env.Quote(word))
					}
					return nil, fmt.Errorf("invalid byte/character position %s", env.Quote(word))
				}
				n = min(n*10+int(d-'0'), math.MaxInt/16)
			}
			if _, err := strconv.ParseUint(text, 10, 64); err != nil {
				what := "byte/character offset"
				if fields {
					what = "field number"
				}
				return nil, fmt.Errorf("%s %s is too large", what, env.Quote(text))
			}
			if n == 0 {
				if fields {
					return nil, errors.New("fields are numbered from 1")
				}
				return nil, errors.New("byte/character positions are numbered from 1")
			}
			if i == 0 {
				s.lo = n
			} else {
				s.hi = n
			}
		}
		if !isRange {
			s.hi = s.lo
		}
		if s.hi < s.lo {
			return nil, errors.New("invalid decreasing range")
		}
		spans = append(spans, s)
	}
	if len(spans) == 0 {
		if fields {
			return nil, errors.New("fields are numbered from 1")
		}
		return nil, errors.New("byte/character positions are numbered from 1")
	}
	return join(spans), nil
}

// join sorts spans and joins those that overlap. Those that only touch stay apart, for
// --output-delimiter.
func join(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	out := spans[:1]
	for _, s := range spans[1:] {
		if last := &out[len(out)-1]; s.lo <= last.hi {
			last.hi = max(last.hi, s.hi)
			continue
		}
		out = append(out, s)
	}
	return out
}

// invert returns what spans leave out.
func invert(spans []span) []span {
	var out []span
	from := 1
	for _, s := range spans {
		if s.lo > from {
			out = append(out, span{from, s.lo - 1})
		}
		if s.hi == math.MaxInt {
			return out
		}
		from = s.hi + 1
	}
	return append(out, span{from, math.MaxInt})
}

func (c *cutter) bytes(env *tool.Env, line []byte) {
	for i, s := range c.spans {
		if s.lo > len(line) {
			break
		}
		if i > 0 && c.sep != nil {
			env.Out.Write(c.sep)
		}
		env.Out.Write(line[s.lo-1 : min(s.hi, len(line))])
	}
	env.Out.WriteByte(c.end)
}

func (c *cutter) fields(env *tool.Env, line []byte) {
	if bytes.IndexByte(line, c.delim) < 0 {
		if !c.only {
			env.Out.Write(line)
			env.Out.WriteByte(c.end)
		}
		return
	}
	out := env.Out.AvailableBuffer()
	first, k := true, 0
	rest := line
	for n := 1; rest != nil && k < len(c.spans); n++ {
		field := rest
		if i := bytes.IndexByte(rest, c.delim); i >= 0 {
			field, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if n > c.spans[k].hi {
			k++
		}
		if k == len(c.spans) || n < c.spans[k].lo {
			continue
		}
		if !first {
			out = append(out, c.sep...)
		}
		first = false
		out = append(out, field...)
	}
	env.Out.Write(append(out, c.end))
}
