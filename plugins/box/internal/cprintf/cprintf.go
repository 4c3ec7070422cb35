// Package cprintf formats as C's printf does, for printf, seq and awk.
package cprintf

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Directive is one parsed conversion, such as %-5.2f.
type Directive struct {
	Minus, Plus, Space, Alt, Zero bool
	Width                         int
	Prec                          int
	HasPrec                       bool
	WidthStar, PrecStar           bool
	Verb                          byte // 0 if the format ends before it
}

// maxSize bounds widths and precisions, in bytes.
const maxSize = 1 << 20

// Parse parses the directive that s begins with and returns its length. s[0] is '%'.
func Parse(s string) (d Directive, n int) {
	n = 1
flags:
	for ; n < len(s); n++ {
		switch s[n] {
		case '-':
			d.Minus = true
		case '+':
			d.Plus = true
		case ' ':
			d.Space = true
		case '#':
			d.Alt = true
		case '0':
			d.Zero = true
		case '\'', 'I':
		default:
			break flags
		}
	}
	if n < len(s) && s[n] == '*' {
		d.WidthStar = true
		n++
	} else {
		d.Width, n = digits(s, n)
	}
	if n < len(s) && s[n] == '.' {
		n++
		d.HasPrec = true
		if n < len(s) && s[n] == '*' {
			d.PrecStar = true
			n++
		} else {
			d.Prec, n = digits(s, n)
		}
	}
	for n < len(s) && strings.IndexByte("hlLjtz", s[n]) >= 0 {
		n++
	}
	if n < len(s) {
		d.Verb = s[n]
		n++
	}
	return d, n
}

func digits(s string, i int) (n, next int) {
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		n = min(n*10+int(s[i]-'0'), maxSize)
	}
	return n, i
}

// SetWidth sets the width that was given as *; a negative one means "to the left".
func (d *Directive) SetWidth(w int) {
	if w < 0 {
		d.Minus, w = true, -max(w, -maxSize)
	}
	d.Width = min(w, maxSize)
}

// Pad pads s with blanks to the width.
func (d *Directive) Pad(s string) string {
	n := d.Width - len(s)
	if n <= 0 {
		return s
	}
	if d.Minus {
		return s + strings.Repeat(" ", n)
	}
	return strings.Repeat(" ", n) + s
}

// Str formats a string; width and precision are in bytes.
func (d *Directive) Str(s string) string {
	if d.HasPrec && d.Prec < len(s) {
		s = s[:d.Prec]
	}
	return d.Pad(s)
}

// Chars is Str with width and precision in characters.
func (d *Directive) Chars(s string) string {
	n := utf8.RuneCountInString(s)
	if d.HasPrec && d.Prec < n {
		i := 0
		for k := 0; k < d.Prec; k++ {
			_, size := utf8.DecodeRuneInString(s[i:])
			i += size
		}
		s, n = s[:i], d.Prec
	}
	wide := *d
	wide.Width += len(s) - n
	return wide.Pad(s)
}

// Int formats by d or i.
func (d *Directive) Int(n int64) string {
	if n < 0 {
		return d.number("-", strconv.FormatUint(-uint64(n), 10))
	}
	return d.number(d.sign(), strconv.FormatUint(uint64(n), 10))
}

// Uint formats by o, u, x or X.
func (d *Directive) Uint(n uint64) string {
	switch d.Verb {
	case 'o':
		s := strconv.FormatUint(n, 8)
		if d.Alt && n == 0 && d.HasPrec && d.Prec == 0 {
			return d.Pad("0")
		}
		if d.Alt && n != 0 {
			s = "0" + s
		}
		return d.number("", s)
	case 'x', 'X':
		s, prefix := strconv.FormatUint(n, 16), ""
		if d.Alt && n != 0 {
			prefix = "0x"
		}
		if d.Verb == 'X' {
			s, prefix = strings.ToUpper(s), strings.ToUpper(prefix)
		}
		return d.number(prefix, s)
	}
	return d.number("", strconv.FormatUint(n, 10))
}

func (d *Directive) sign() string {
	switch {
	case d.Plus:
		return "+"
	case d.Space:
		return " "
	}
	return ""
}

// number pads an integer's digits: with zeros to the precision, then to the width.
func (d *Directive) number(prefix, digits string) string {
	if d.HasPrec {
		if d.Prec == 0 && digits == "0" {
			digits = ""
		}
		if n := d.Prec - len(digits); n > 0 {
			digits = strings.Repeat("0", n) + digits
		}
	}
	if n := d.Width - len(prefix) - len(digits); n > 0 && d.Zero && !d.Minus && !d.HasPrec {
		digits = strings.Repeat("0", n) + digits
	}
	return d.Pad(prefix + digits)
}

// Float formats by e, f, g or a, in either case.
func (d *Directive) Float(f float64) string {
	sign := d.sign()
	if math.Signbit(f) {
		sign, f = "-", -f
	}
	prec := 6
	if d.HasPrec {
		prec = d.Prec
	}
	verb := d.Verb | 0x20
	var s string
	switch {
	case math.IsInf(f, 0):
		s = "inf"
	case math.IsNaN(f):
		s = "nan"
	case verb == 'a':
		s = hex(f, d)
	case verb == 'g':
		s = general(f, prec, d.Alt)
	default:
		s = strconv.FormatFloat(f, verb, prec, 64)
	}
	if d.Alt && !math.IsInf(f, 0) && !math.IsNaN(f) {
		s = pointed(s)
	}
	zero := d.Zero && s != "inf" && s != "nan"
	if d.Verb < 'a' {
		s = strings.ToUpper(s)
	}
	if n := d.Width - len(sign) - len(s); n > 0 && zero && !d.Minus {
		s = strings.Repeat("0", n) + s
	}
	return d.Pad(sign + s)
}

// general is %g: as %e if the exponent is small or large, else as %f, without zeros at the end.
func general(f float64, prec int, alt bool) string {
	prec = max(prec, 1)
	e := strconv.FormatFloat(f, 'e', prec-1, 64)
	exp, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	if exp < -4 || exp >= prec {
		mantissa, tail, _ := strings.Cut(e, "e")
		if !alt {
			mantissa = trimZeros(mantissa)
		}
		return mantissa + "e" + tail
	}
	s := strconv.FormatFloat(f, 'f', prec-1-exp, 64)
	if !alt {
		s = trimZeros(s)
	}
	return s
}

// pointed is a number with its point, also where nothing follows it.
func pointed(s string) string {
	if strings.Contains(s, ".") {
		return s
	}
	i := strings.IndexAny(s, "ep")
	if i < 0 {
		i = len(s)
	}
	return s[:i] + "." + s[i:]
}

func trimZeros(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func hex(f float64, d *Directive) string {
	prec := -1
	if d.HasPrec {
		prec = d.Prec
	}
	s := strconv.FormatFloat(f, 'x', prec, 64)
	mantissa, exp, _ := strings.Cut(s, "p")
	n, _ := strconv.Atoi(exp)
	s = strconv.Itoa(n)
	if n >= 0 {
		s = "+" + s
	}
	return mantissa + "p" + s
}
