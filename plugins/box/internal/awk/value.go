package awk

import (
	"math"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/cprintf"
)

// A value is a string, a number, or both: what comes from input and looks like a number is compared
// as one.
type value struct {
	kind kind
	lent bool // s is a part of the input that was read, most of which is not needed for long
	n    float64
	s    string
}

type kind byte

const (
	unset     kind = iota // "" and 0
	number                // n
	text                  // s
	fromInput             // s, and perhaps a number
	strnum                // s and n
)

func num(n float64) value  { return value{kind: number, n: n} }
func str(s string) value   { return value{kind: text, s: s} }
func field(s string) value { return value{kind: fromInput, s: s} }

// lent is field for a part of a record, which is valid for as long as it is used, but keeps the
// record's neighbours from being freed.
func lent(s string) value { return value{kind: fromInput, lent: true, s: s} }

// kept returns v for a variable, which may outlive all else that was read.
func (v value) kept() value {
	if v.lent {
		v.s, v.lent = strings.Clone(v.s), false
	}
	return v
}

func boolean(b bool) value {
	if b {
		return num(1)
	}
	return num(0)
}

// settle decides whether input looks like a number.
func (v value) settle() value {
	if v.kind != fromInput {
		return v
	}
	s := v.s
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	n, used := parseNumber(s)
	v.kind = strnum
	if used == 0 || used < len(s) {
		v.kind = text
	}
	v.n = n
	return v
}

// num returns v as a number: its longest beginning that is one, or 0.
func (v value) num() float64 {
	if v.kind == number || v.kind == strnum {
		return v.n
	}
	return leadingNumber(v.s)
}

// number is num for a value in its place, which is not copied.
func (v *value) number() float64 {
	if v.kind == number {
		return v.n
	}
	return v.num()
}

func leadingNumber(s string) float64 {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	n, _ := parseNumber(s)
	return n
}

// str returns v as a string, numbers that are not whole by format.
func (v value) str(format string) string {
	if v.kind == number {
		return formatNumber(v.n, format)
	}
	return v.s
}

// append appends str.
func (v value) append(dst []byte, format string) []byte {
	if v.kind == number {
		if isWhole(v.n) {
			return strconv.AppendInt(dst, int64(v.n), 10)
		}
		return append(dst, sprintNumber(format, v.n)...)
	}
	return append(dst, v.s...)
}

func (v value) truth() bool {
	if v.kind == number {
		return v.n != 0
	}
	return v.holds()
}

// holds is truth of what is no plain number.
func (v value) holds() bool {
	v = v.settle()
	return v.kind == strnum && v.n != 0 || v.kind == text && v.s != ""
}

// formatNumber is CONVFMT or OFMT applied to n. Whole numbers are written in full.
func formatNumber(n float64, format string) string {
	if isWhole(n) {
		return strconv.FormatInt(int64(n), 10)
	}
	return sprintNumber(format, n)
}

func isWhole(n float64) bool { return n == math.Trunc(n) && math.Abs(n) < 1e16 }

func sprintNumber(format string, n float64) string {
	switch {
	case math.IsNaN(n):
		return "-nan" // the sign that x86 gives to what it can't compute
	case math.IsInf(n, 1):
		return "inf"
	case math.IsInf(n, -1):
		return "-inf"
	}
	if !strings.HasPrefix(format, "%") {
		return format
	}
	d, used := cprintf.Parse(format)
	switch d.Verb {
	case 'd', 'i':
		return d.Int(int64(n)) + format[used:]
	case 'e', 'f', 'g', 'E', 'F', 'G':
		return d.Float(n) + format[used:]
	}
	return format
}

// parseNumber parses the number that s begins with and says how long it is.
func parseNumber(s string) (n float64, used int) {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	digits := i
	whole := 0.0 // exact up to 15 digits
	for ; i < len(s) && isDigit(s[i]); i++ {
		whole = whole*10 + float64(s[i]-'0')
	}
	count := i - digits
	if count > 0 && count < 16 && (i == len(s) || s[i] != '.' && s[i]|0x20 != 'e') {
		if s[0] == '-' {
			whole = 0 - whole // not -0
		}
		return whole, i
	}
	if i < len(s) && s[i] == '.' {
		i++
		from := i
		for ; i < len(s) && isDigit(s[i]); i++ {
			whole = whole*10 + float64(s[i]-'0')
		}
		count += i - from
		if count > 0 && count < 16 && (i == len(s) || s[i]|0x20 != 'e') {
			n = whole / powersOf10[i-from] // both are exact, so this is
			if s[0] == '-' {
				n = -n
			}
			return n, i
		}
	}
	if count == 0 {
		return infinity(s, digits)
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		k := i + 1
		if k < len(s) && (s[k] == '+' || s[k] == '-') {
			k++
		}
		if k < len(s) && isDigit(s[k]) {
			for k < len(s) && isDigit(s[k]) {
				k++
			}
			i = k
		}
	}
	n, _ = strconv.ParseFloat(s[:i], 64) // too great is infinite
	return n, i
}

var powersOf10 = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// infinity parses +inf, -nan and so on, which need their sign.
func infinity(s string, sign int) (float64, int) {
	if sign == 0 || len(s) < sign+3 {
		return 0, 0
	}
	switch strings.ToLower(s[sign : sign+3]) {
	case "inf":
		if s[0] == '-' {
			return math.Inf(-1), sign + 3
		}
		return math.Inf(1), sign + 3
	case "nan":
		return math.NaN(), sign + 3
	}
	return 0, 0
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// A cell is a variable: a value or, once it is used as one, an array.
type cell struct {
	val value
	arr *array
}

func (c *cell) array() *array {
	if c.arr == nil {
		c.arr = &array{}
	}
	return c.arr
}
