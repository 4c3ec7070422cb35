package basic

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/cprintf"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A printer prints one format, as often as there are arguments.
type printer struct {
	env    *tool.Env
	format string
	args   []string
	used   int
	status int
	stop   bool // \c ended the output
}

func printf(env *tool.Env, args []string) int {
	if len(args) == 2 && (args[1] == "--help" || args[1] == "--version") {
		_, status := env.Options(args, "")
		return status
	}
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return env.UsageError("missing operand")
	}
	p := &printer{env: env, format: args[0], args: args[1:]}
	for {
		before := p.used
		if !p.once() {
			return 1
		}
		if p.stop || p.used >= len(p.args) || env.Stopped() {
			break
		}
		if p.used == before {
			env.Errorf("warning: ignoring excess arguments, starting with %s", env.Quote(p.args[p.used]))
			break
		}
	}
	return p.status
}

// once prints the format once. It returns false if the format is bad.
func (p *printer) once() bool {
	out := p.env.Out
	for i := 0; i < len(p.format) && !p.stop; {
		c := p.format[i]
		switch {
		case c == '\\':
			n, ok := p.escape(p.format[i:])
			if !ok {
				return false
			}
			i += n
		case c != '%':
			out.WriteByte(c)
			i++
		case strings.HasPrefix(p.format[i:], "%%"):
			out.WriteByte('%')
			i += 2
		default:
			n, ok := p.directive(p.format[i:])
			if !ok {
				return false
			}
			i += n
		}
	}
	return true
}

// escape prints the escape that s begins with and returns its length.
func (p *printer) escape(s string) (int, bool) {
	if len(s) == 1 {
		p.env.Out.WriteByte('\\')
		return 1, true
	}
	switch c := s[1]; {
	case c == 'x':
		n, used := number(s[2:], 16, 2)
		if used == 0 {
			p.env.Errorf("missing hexadecimal number in escape")
			return 0, false
		}
		p.env.Out.WriteByte(byte(n))
		return 2 + used, true
	case '0' <= c && c <= '7':
		n, used := number(s[1:], 8, 3)
		p.env.Out.WriteByte(byte(n))
		return 1 + used, true
	case c == 'u' || c == 'U':
		most := 4
		if c == 'U' {
			most = 8
		}
		n, used := number(s[2:], 16, most)
		if used < most {
			p.env.Errorf("missing hexadecimal number in escape")
			return 0, false
		}
		p.env.Out.Write(utf8.AppendRune(nil, rune(n)))
		return 2 + used, true
	case c == 'c':
		p.stop = true
		return 2, true
	case c == '"':
		p.env.Out.WriteByte('"')
		return 2, true
	}
	text, _ := unescape(s[:2])
	p.env.Out.Write(text)
	return 2, true
}

// next returns the next argument, or "" and false.
func (p *printer) next() (string, bool) {
	p.used++
	if p.used > len(p.args) {
		return "", false
	}
	return p.args[p.used-1], true
}

// directive prints one argument by the directive that s begins with and returns the directive's length.
func (p *printer) directive(s string) (int, bool) {
	d, n := cprintf.Parse(s)
	if d.WidthStar {
		arg, _ := p.next()
		w := p.integer(arg)
		d.SetWidth(int(max(min(w, 1<<20), -1<<20)))
	}
	if d.PrecStar {
		arg, _ := p.next()
		d.Prec = int(max(min(p.integer(arg), 1<<20), -1))
		d.HasPrec = d.Prec >= 0
	}
	out := p.env.Out
	switch d.Verb {
	case 'd', 'i':
		arg, _ := p.next()
		out.WriteString(d.Int(p.integer(arg)))
	case 'o', 'u', 'x', 'X':
		arg, _ := p.next()
		out.WriteString(d.Uint(uint64(p.integer(arg))))
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		arg, _ := p.next()
		out.WriteString(d.Float(p.float(arg)))
	case 'c':
		arg, _ := p.next()
		arg = (arg + "\x00")[:1] // there is always a character
		out.WriteString(d.Pad(arg))
	case 's':
		arg, _ := p.next()
		out.WriteString(d.Str(arg))
	case 'b':
		arg, _ := p.next()
		text, stop := unescape(arg)
		p.stop = stop
		out.WriteString(d.Str(string(text)))
	case '(':
		format, _, ok := strings.Cut(s[n:], ")T")
		if !ok {
			p.env.Errorf("%s: invalid conversion specification", s[:n])
			return 0, false
		}
		out.WriteString(d.Str(p.date(format)))
		n += len(format) + len(")T")
	case 'q':
		arg, _ := p.next()
		out.WriteString(d.Str(tool.QuoteName(arg)))
	default:
		p.env.Errorf("%s: invalid conversion specification", s[:n])
		p.status = 1
		return 0, false
	}
	return n, true
}

// date is the time that the next argument says in seconds; none, -1 and -2 are now.
func (p *printer) date(format string) string {
	t := time.Now()
	if arg, ok := p.next(); ok && arg != "-1" && arg != "-2" {
		t = time.Unix(p.integer(arg), 0)
	}
	if format == "" {
		format = "%X"
	}
	return clock.Format(format, t.In(clock.Zone(p.env)))
}

// integer reads a number as strtoimax does, or the code of the character behind a quotation mark.
func (p *printer) integer(s string) int64 {
	if n, ok := quoted(s); ok {
		return n
	}
	digits := strings.TrimLeft(s, " \t\n\v\f\r")
	end := len(digits)
	for end > 0 {
		n, err := strconv.ParseInt(digits[:end], 0, 64)
		if u, e := strconv.ParseUint(digits[:end], 0, 64); err != nil && e == nil {
			n, err = int64(u), nil
		}
		if strings.ContainsAny(digits[:end], "_obOB") {
			err = strconv.ErrSyntax // Go's own notations
		}
		if err == nil || errors.Is(err, strconv.ErrRange) {
			p.complain(s, end < len(digits), errors.Is(err, strconv.ErrRange))
			return n
		}
		end--
	}
	p.notNumber(s)
	return 0
}

func (p *printer) float(s string) float64 {
	if n, ok := quoted(s); ok {
		return float64(n)
	}
	digits := strings.TrimLeft(s, " \t\n\v\f\r")
	for end := len(digits); end > 0; end-- {
		f, err := strconv.ParseFloat(digits[:end], 64)
		if n, e := strconv.ParseInt(digits[:end], 0, 64); err != nil && e == nil && !strings.ContainsAny(digits[:end], "_obOB") {
			f, err = float64(n), nil
		}
		if err == nil || errors.Is(err, strconv.ErrRange) {
			p.complain(s, end < len(digits), err != nil && math.IsInf(f, 0))
			return f
		}
	}
	p.notNumber(s)
	return 0
}

// quoted returns the code of the character in 'c or "c.
func quoted(s string) (int64, bool) {
	if len(s) < 2 || s[0] != '\'' && s[0] != '"' {
		return 0, false
	}
	r, n := utf8.DecodeRuneInString(s[1:])
	if r == utf8.RuneError && n == 1 {
		return int64(s[1]), true
	}
	return int64(r), true
}

func (p *printer) complain(s string, rest, overflow bool) {
	switch {
	case overflow:
		p.env.Errorf("%s: Numerical result out of range", p.env.Quote(s))
	case rest:
		p.env.Errorf("%s: value not completely converted", p.env.Quote(s))
	default:
		return
	}
	p.status = 1
}

func (p *printer) notNumber(s string) {
	if s == "" {
		return
	}
	p.env.Errorf("%s: expected a numeric value", p.env.Quote(s))
	p.status = 1
}
