package jq

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An encoder writes values as JSON.
type encoder struct {
	indent string // of one level; "" for all in one line
	sorted bool   // keys in order
	ascii  bool
	color  bool
}

// text is a value's JSON in one line.
func text(v any) string {
	var b bytes.Buffer
	(&encoder{}).value(&b, v, 0)
	return b.String()
}

// maxDepth bounds how deep values are nested, in levels. Parsing stops far below.
const maxDepth = 10_000

// Colours of jq 1.6.
const (
	colorNull   = "\x1b[1;30m"
	colorBool   = "\x1b[0;39m"
	colorNumber = "\x1b[0;39m"
	colorString = "\x1b[0;32m"
	colorArray  = "\x1b[1;39m"
	colorObject = "\x1b[1;39m"
	colorKey    = "\x1b[34;1m"
	colorEnd    = "\x1b[0m"
)

func (e *encoder) value(b *bytes.Buffer, v any, depth int) {
	if depth > maxDepth {
		b.WriteString("<skipped: too deep>")
		return
	}
	switch v := v.(type) {
	case nil:
		e.painted(b, colorNull, "null")
	case bool:
		e.painted(b, colorBool, strconv.FormatBool(v))
	case float64:
		e.painted(b, colorNumber, formatNumber(v))
	case string:
		if e.color {
			b.WriteString(colorString)
		}
		e.string(b, v)
		if e.color {
			b.WriteString(colorEnd)
		}
	case []any:
		e.array(b, v, depth)
	case *object:
		e.object(b, v, depth)
	}
}

//go:noinline
func (e *encoder) painted(b *bytes.Buffer, color, s string) {
	if !e.color {
		b.WriteString(s)
		return
	}
	b.WriteString(color + s + colorEnd)
}

func (e *encoder) array(b *bytes.Buffer, a []any, depth int) {
	if len(a) == 0 {
		e.painted(b, colorArray, "[]")
		return
	}
	e.open(b, colorArray, "[")
	for i, v := range a {
		if i > 0 {
			e.comma(b, colorArray)
		}
		e.newline(b, depth+1)
		e.value(b, v, depth+1)
	}
	e.close(b, colorArray, "]", depth)
}

func (e *encoder) object(b *bytes.Buffer, o *object, depth int) {
	if len(o.keys) == 0 {
		e.painted(b, colorObject, "{}")
		return
	}
	e.open(b, colorObject, "{")
	keys := o.keys
	if e.sorted {
		keys = o.sortedKeys()
	}
	for i, k := range keys {
		if i > 0 {
			e.comma(b, colorObject)
		}
		e.newline(b, depth+1)
		e.key(b, k)
		v := o.values()[i]
		if e.sorted {
			v, _ = o.get(k)
		}
		e.value(b, v, depth+1)
	}
	e.close(b, colorObject, "}", depth)
}

func (e *encoder) key(b *bytes.Buffer, k string) {
	colon := ":"
	if e.indent != "" {
		colon = ": "
	}
	if !e.color {
		e.string(b, k)
		b.WriteString(colon)
		return
	}
	b.WriteString(colorEnd + colorKey)
	e.string(b, k)
	b.WriteString(colorEnd + colorObject + colon + colorEnd)
}

//go:noinline
func (e *encoder) open(b *bytes.Buffer, color, bracket string) {
	if e.color {
		b.WriteString(color)
	}
	b.WriteString(bracket)
}

func (e *encoder) comma(b *bytes.Buffer, color string) {
	if e.color {
		b.WriteString(color)
	}
	b.WriteByte(',')
}

func (e *encoder) close(b *bytes.Buffer, color, bracket string, depth int) {
	if e.color {
		b.WriteString(color)
	}
	e.newline(b, depth)
	if e.color {
		b.WriteString(color)
	}
	b.WriteString(bracket)
	if e.color {
		b.WriteString(colorEnd)
	}
}

//go:noinline
func (e *encoder) newline(b *bytes.Buffer, depth int) {
	if e.indent == "" {
		return
	}
	b.WriteByte('\n')
	for range depth {
		b.WriteString(e.indent)
	}
}

const hexDigits = "0123456789abcdef"

func (e *encoder) string(b *bytes.Buffer, s string) {
	b.WriteByte('"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r > 0x7f && !e.ascii && (r != utf8.RuneError || n > 1) {
			i += n
			continue
		}
		b.WriteString(s[start:i])
		escape(b, r)
		i += n
		start = i
	}
	b.WriteString(s[start:])
	b.WriteByte('"')
}

func escape(b *bytes.Buffer, r rune) {
	switch r {
	case '"', '\\':
		b.WriteByte('\\')
		b.WriteByte(byte(r))
	case '\n':
		b.WriteString(`\n`)
	case '\t':
		b.WriteString(`\t`)
	case '\r':
		b.WriteString(`\r`)
	case '\b':
		b.WriteString(`\b`)
	case '\f':
		b.WriteString(`\f`)
	default:
		if r > 0xffff {
			r -= 0x10000
			escapeUnit(b, 0xd800+r>>10)
			r = 0xdc00 + r&0x3ff
		}
		escapeUnit(b, r)
	}
}

//go:noinline
func escapeUnit(b *bytes.Buffer, r rune) {
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(hexDigits[r>>shift&15])
	}
}

// formatNumber writes the fewest digits that read as the same number, as jq 1.6 lays them out. What
// JSON can't say is the nearest that it can.
func formatNumber(f float64) string {
	switch {
	case f != f:
		return "null"
	case math.IsInf(f, 0):
		f = math.Copysign(math.MaxFloat64, f)
	case f == 0:
		if math.Signbit(f) {
			return "-0"
		}
		return "0"
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatInt(int64(f), 10)
	}
	if a := math.Abs(f); 1e-3 <= a && a < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	exp, _ := strconv.Atoi(exponent)
	digits := strings.Trim(strings.Replace(mantissa, ".", "", 1), "-")
	if point := exp + 1; point <= -4 || point > len(digits)+15 {
		return s
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
