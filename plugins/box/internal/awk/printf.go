package awk

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/cprintf"
)

// sprintf formats the arguments into the scratch buffer; the first one is the format. name is the
// function's, for messages.
func (in *interp) sprintf(name string, args []expr) {
	vals := in.values(args)
	format := in.str(vals[0])
	b := in.scratch
	used := 0
	next := func() value {
		if used++; used >= len(vals) {
			in.runtime("not enough arguments passed to %s(\"%s\")", name, format)
		}
		return vals[used]
	}
	for i := 0; i < len(format); {
		if format[i] != '%' {
			k := strings.IndexByte(format[i:], '%')
			if k < 0 {
				k = len(format) - i
			}
			b = append(b, format[i:i+k]...)
			i += k
			continue
		}
		if strings.HasPrefix(format[i:], "%%") {
			b = append(b, '%')
			i += 2
			continue
		}
		d, n := cprintf.Parse(format[i:])
		if d.WidthStar {
			d.SetWidth(int(max(min(next().num(), 1<<20), -1<<20)))
		}
		if d.PrecStar {
			d.Prec = int(max(min(next().num(), 1<<20), -1))
			d.HasPrec = d.Prec >= 0
		}
		i += n
		if strings.IndexByte("diouxXeEfFgGaAcs", d.Verb) < 0 || d.Verb == 0 {
			in.runtime("improper conversion(number %d) in %s(\"%s\")", used+1, name, format)
		}
		if plain := (cprintf.Directive{Verb: d.Verb}); d == plain && (d.Verb == 's' || d.Verb == 'd') {
			b = in.plainDirective(b, d.Verb, next())
		} else {
			b = append(b, in.directive(&d, next())...)
		}
		if len(b)-len(in.scratch) > maxText {
			in.fail("memory exhausted")
		}
	}
	in.scratch = b
	in.release(vals)
}

// plainDirective appends what %s or %d makes of v.
func (in *interp) plainDirective(b []byte, verb byte, v value) []byte {
	if verb == 's' {
		return v.append(b, in.convfmt)
	}
	n := v.num()
	if !(math.Abs(n) < 1<<53) {
		return append(b, in.directive(&cprintf.Directive{Verb: verb}, v)...)
	}
	return strconv.AppendInt(b, int64(n), 10)
}

func (in *interp) directive(d *cprintf.Directive, v value) string {
	switch d.Verb {
	case 'c':
		v = v.settle()
		if v.kind == number || v.kind == strnum {
			r := rune(max(min(v.num(), utf8.MaxRune), 0))
			return d.Chars(string(utf8.AppendRune(nil, r)))
		}
		s := in.str(v)
		_, n := utf8.DecodeRuneInString(s)
		return d.Chars(s[:n])
	case 's':
		return d.Chars(in.str(v))
	case 'd', 'i':
		n := v.num()
		if n >= math.MaxInt64 || n <= math.MinInt64 || n != n {
			f := *d
			f.Verb, f.Prec, f.HasPrec = 'f', 0, true
			return f.Float(n)
		}
		return d.Int(int64(n))
	case 'o', 'u', 'x', 'X':
		n := v.num()
		if n < 0 {
			return d.Uint(uint64(int64(max(n, math.MinInt64))))
		}
		return d.Uint(uint64(min(n, math.MaxInt64)))
	}
	n := v.num()
	if n != n {
		n = math.Copysign(n, -1)
	}
	return d.Float(n)
}
