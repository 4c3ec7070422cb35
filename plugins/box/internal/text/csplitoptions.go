package text

import (
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/cprintf"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

func (c *carver) configure(opts *option.Result) bool {
	digits := ""
	for _, o := range opts.Options {
		switch o.Name {
		case "b":
			c.suffix = o.Arg
			if wrong := wrongSuffix(o.Arg); wrong != "" {
				c.env.Errorf("%s", wrong)
				return false
			}
		case "f":
			c.prefix = o.Arg
		case "n":
			n, err := strconv.ParseUint(o.Arg, 10, 31)
			if err != nil || n > 255 {
				c.env.Errorf("invalid number: %s", c.env.Quote(o.Arg))
				return false
			}
			digits = "%0" + o.Arg + "d"
		}
	}
	if digits != "" && !opts.Has("b") {
		c.suffix = digits
	}
	return true
}

// wrongSuffix returns what is wrong with a format that is to have one directive for a number.
func wrongSuffix(format string) string {
	found := false
	for rest := format; ; {
		i := strings.IndexByte(rest, '%')
		if i < 0 {
			break
		}
		rest = rest[i:]
		if strings.HasPrefix(rest, "%%") {
			rest = rest[2:]
			continue
		}
		if found {
			return "too many % conversion specifications in suffix"
		}
		found = true
		d, n := cprintf.Parse(rest)
		switch {
		case d.Verb == 0:
			return "missing conversion specifier in suffix"
		case strings.IndexByte("diuoxX", d.Verb) < 0:
			return "invalid conversion specifier in suffix: " + string(d.Verb)
		}
		rest = rest[n:]
	}
	if !found {
		return "missing % conversion specification in suffix"
	}
	return ""
}

// name returns the name of a piece.
func (c *carver) name(n int) string {
	var b strings.Builder
	for rest := c.suffix; rest != ""; {
		if rest[0] != '%' {
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		d, length := cprintf.Parse(rest)
		rest = rest[length:]
		switch d.Verb {
		case '%':
			b.WriteByte('%')
		case 'd', 'i':
			b.WriteString(d.Int(int64(n)))
		default:
			b.WriteString(d.Uint(uint64(n)))
		}
	}
	return c.prefix + b.String()
}

// parse parses the patterns, and returns what is wrong with one.
func (c *carver) parse(args []string) (cuts []cut, wrong string) {
	q := c.env.Quote
	last := 0
	for i := 0; i < len(args); i++ {
		arg := args[i]
		p := cut{arg: arg}
		if arg != "" && (arg[0] == '/' || arg[0] == '%') {
			if wrong := p.parseRegexp(q); wrong != "" {
				return nil, wrong
			}
		} else {
			n, err := strconv.ParseUint(arg, 10, 31)
			switch {
			case err != nil:
				return nil, q(arg) + ": invalid pattern"
			case n == 0:
				return nil, arg + ": line number must be greater than zero"
			case int(n) < last:
				return nil, "line number " + q(arg) + " is smaller than preceding line number, " + strconv.Itoa(last)
			case int(n) == last:
				c.env.Errorf("warning: line number %s is the same as preceding line number", q(arg))
			}
			last = int(n)
			p.line = last
		}
		if i+1 < len(args) && strings.HasPrefix(args[i+1], "{") {
			i++
			times, ok := strings.CutSuffix(args[i][1:], "}")
			if !ok {
				return nil, q(args[i]) + ": '}' is required in repeat count"
			}
			n, err := strconv.ParseUint(times, 10, 31)
			if p.forever = times == "*"; err != nil && !p.forever {
				return nil, q("{"+times) + "}: integer required between '{' and '}'"
			}
			p.times = int(n)
		}
		cuts = append(cuts, p)
	}
	return cuts, ""
}

func (p *cut) parseRegexp(q func(string) string) (wrong string) {
	delim := p.arg[:1]
	end := strings.LastIndex(p.arg, delim)
	if end == 0 {
		return p.arg + ": closing delimiter '" + delim + "' missing"
	}
	p.skip = delim == "%"
	if offset := p.arg[end+1:]; offset != "" {
		n, err := strconv.ParseInt(offset, 10, 32)
		if err != nil {
			return q(p.arg) + ": integer expected after delimiter"
		}
		p.offset = int(n)
	}
	var err error
	if p.re, err = regex.Compile(p.arg[1:end], regex.Options{}); err != nil {
		return q(p.arg) + ": invalid regular expression: " + err.Error()
	}
	return ""
}
