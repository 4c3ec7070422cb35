package awk

import (
	"math"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/cprintf"
)

// A value is a string, a number, or both: what comes from input and looks like a number is compared as one.
type value struct {
	kind kind
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
	s := strings.Trim(v.s, " \t\n\r\f\v")
	n, used := parseNumber(s)
	if used == 0 || used < len(s) {
		return value{kind: text, s: v.s}
	}
	return value{kind: strnum, n: n, s: v.s}
}

// num returns v as a number: its longest beginning that is one, or 0.
func (v value) num() float64 {
	switch v.kind {
	case number, strnum:
		return v.n
	case text, fromInput:
		n, _ := parseNumber(strings.TrimLeft(v.s, " \t\n\r\f\v"))
		return n
	}
	return 0
}

// str returns v as a string, numbers that are not whole by format.
func (v value) str(format string) string {
	switch v.kind {
	case number:
		return formatNumber(v.n, format)
	case text, fromInput, strnum:
		return v.s
	}
	return ""
}

func (v value) truth() bool {
	switch v = v.settle(); v.kind {
	case number, strnum:
		return v.n != 0
	case text:
		return v.s != ""
	}
	return false
}

// formatNumber is CONVFMT or OFMT applied to n. Whole numbers are written in full.
func formatNumber(n float64, format string) string {
	if n == math.Trunc(n) && math.Abs(n) < 1e16 {
		return strconv.FormatInt(int64(n), 10)
	}
	return sprintNumber(format, n)
}

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
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	count := i - digits
	if count > 0 && count < 16 && (i == len(s) || s[i] != '.' && s[i]|0x20 != 'e') {
		k, _ := strconv.ParseInt(s[:i], 10, 64)
		return float64(k), i
	}
	if i < len(s) && s[i] == '.' {
		i++
		from := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		count += i - from
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

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// An array keeps its elements in the order in which they came to be, so that "for (k in a)" is the same in every run.
type array struct {
	byKey map[string]*element
	order []*element
	dead  int
}

type element struct {
	key  string
	val  value
	dead bool
}

func newArray() *array { return &array{byKey: map[string]*element{}} }

// at returns the element, which it makes if it is missing.
func (a *array) at(key string) *element {
	e := a.byKey[key]
	if e == nil {
		e = &element{key: key}
		a.byKey[key] = e
		a.order = append(a.order, e)
	}
	return e
}

func (a *array) remove(key string) {
	e := a.byKey[key]
	if e == nil {
		return
	}
	delete(a.byKey, key)
	e.dead = true
	if a.dead++; a.dead > 32 && a.dead > len(a.order)/2 {
		live := make([]*element, 0, len(a.byKey))
		for _, e := range a.order {
			if !e.dead {
				live = append(live, e)
			}
		}
		a.order, a.dead = live, 0
	}
}

func (a *array) clear() {
	for _, e := range a.order {
		e.dead = true
	}
	*a = *newArray()
}

// A cell is a variable: a value or, once it is used as one, an array.
type cell struct {
	val value
	arr *array
}

func (c *cell) array() *array {
	if c.arr == nil {
		c.arr = newArray()
	}
	return c.arr
}
