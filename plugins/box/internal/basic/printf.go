package basic

import (
	"bytes"
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
	shell  bool // it stands in for bash's builtin
}

// builtin is what the shell calls the command where it stands in for its own
// builtin, whose quotes and numbers are others.
const builtin = "/bin/printf"

func printf(env *tool.Env, args []string) int {
	if len(args) == 2 && (args[1] == "--help" || args[1] == "--version") {
		_, status := env.Options(args, "")
		return status
	}
	shell := args[0] == builtin
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return env.UsageError("missing operand")
	}
	p := &printer{env: env, format: args[0], args: args[1:], shell: shell}
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

// directive prints one argument by the directive that s begins with and returns the directive's
// length.
func (p *printer) directive(s string) (int, bool) {
	d, n := cprintf.Parse(s)
	if d.WidthStar {
		arg, _ := p.next()
		w := int64(p.integer(arg, true))
		d.SetWidth(int(max(min(w, 1<<20), -1<<20)))
	}
	if d.PrecStar {
		arg, _ := p.next()
		d.Prec = int(max(min(int64(p.integer(arg, true)), 1<<20), -1))
		d.HasPrec = d.Prec >= 0
	}
	out := p.env.Out
	switch d.Verb {
	case 'd', 'i':
		arg, _ := p.next()
		out.WriteString(d.Int(int64(p.integer(arg, true))))
	case 'o', 'u', 'x', 'X':
		arg, _ := p.next()
		out.WriteString(d.Uint(p.integer(arg, false)))
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
		if p.shell {
			text = runes(text)
		}
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
		quoted := tool.QuoteName(arg)
		if p.shell {
			quoted = tool.QuoteShell(arg)
		}
		out.WriteString(d.Str(quoted))
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
		t = time.Unix(int64(p.integer(arg, true)), 0)
	}
	if format == "" {
		format = "%X"
	}
	return clock.Format(format, t.In(clock.Zone(p.env)))
}

// integer reads a number as strtoimax and strtoumax do, or the code of the
// character behind a quotation mark.
func (p *printer) integer(s string, signed bool) uint64 {
	if n, ok := quoted(s); ok {
		return uint64(n)
	}
	if p.shell && (s == "'" || s == `"`) {
		return 0
	}
	digits := strings.TrimLeft(s, " \t\n\v\f\r")
	negative := strings.HasPrefix(digits, "-")
	if negative || strings.HasPrefix(digits, "+") {
		digits = digits[1:]
	}
	base := 10
	switch {
	case len(digits) > 2 && (digits[:2] == "0x" || digits[:2] == "0X") && hexDigit(digits[2]):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0"):
		base = 8
	}
	end := 0
	for end < len(digits) && hexDigit(digits[end]) && (base == 16 || digits[end] < '0'+byte(base)) {
		end++
	}
	if end == 0 {
		p.notNumber(s)
		return 0
	}
	n, err := strconv.ParseUint(digits[:end], base, 64)
	overflow := err != nil
	switch {
	case signed && negative && n > 1<<63:
		n, overflow = 1<<63, true
	case signed && !negative && n > math.MaxInt64:
		n, overflow = math.MaxInt64, true
	case !signed && overflow:
		negative = false
	}
	if negative {
		n = -n
	}
	p.complain(s, end < len(digits), overflow)
	return n
}

func hexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// runes replaces \u and \U of bash's builtin.
func runes(text []byte) []byte {
	var out []byte
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return append(out, text...)
		}
		out = append(out, text[:i]...)
		n, used := 0, 0
		switch text[i+1] {
		case 'u':
			n, used = number(string(text[i+2:]), 16, 4)
		case 'U':
			n, used = number(string(text[i+2:]), 16, 8)
		}
		if used == 0 {
			out, text = append(out, '\\'), text[i+1:]
			continue
		}
		out, text = utf8.AppendRune(out, rune(n)), text[i+2+used:]
	}
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
		if p.shell { // only warns
			return
		}
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
