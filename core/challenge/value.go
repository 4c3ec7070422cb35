package challenge

import (
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A value is a piece of a text that load has accepted. The zero value is none.
type value struct{ raw string }

func (v value) exists() bool   { return v.raw != "" }
func (v value) isString() bool { return v.exists() && v.raw[0] == '"' }
func (v value) isArray() bool  { return v.exists() && v.raw[0] == '[' }
func (v value) isObject() bool { return v.exists() && v.raw[0] == '{' }
func (v value) isBool() bool   { return v.raw == "true" || v.raw == "false" }

// isNumber reports whether v is one for Python, in which NaN is a number and a
// boolean is 1 or 0.
func (v value) isNumber() bool {
	return v.exists() && !v.isString() && !v.isArray() && !v.isObject() && v.raw != "null"
}

// float returns v, which isNumber, as Python's float does. It returns false if
// v is an integer so large that there is none.
func (v value) float() (f float64, ok bool) {
	switch v.raw {
	case "true":
		return 1, true
	case "false", "-0":
		return 0, true
	case "NaN":
		return math.NaN(), true
	}
	f, err := strconv.ParseFloat(v.raw, 64)
	isInteger := !strings.ContainsAny(v.raw, ".eEI")
	return f, err == nil || !isInteger
}

// isTrue reports whether Python takes v for true.
func (v value) isTrue() bool {
	switch {
	case !v.exists() || v.raw == "null":
		return false
	case v.isString():
		return v.raw != `""`
	case v.isArray() || v.isObject():
		return strings.Trim(v.raw[1:len(v.raw)-1], " \t\r\n") != ""
	}
	f, ok := v.float()
	return !ok || f != 0
}

// text returns the string that v is, or "". It returns false if v has half of
// a surrogate pair, which UTF-8 can't hold: U+FFFD takes its place.
func (v value) text() (string, bool) {
	if !v.isString() {
		return "", true
	}
	s := v.raw[1 : len(v.raw)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	whole := true
	dst := make([]byte, 0, len(s))
	for {
		before, rest, escaped := strings.Cut(s, `\`)
		dst = append(dst, before...)
		if !escaped {
			return string(dst), whole
		}
		c, n := unescape(rest)
		if utf16.IsSurrogate(c) {
			c, whole = utf8.RuneError, false
		}
		dst = utf8.AppendRune(dst, c)
		s = rest[n:]
	}
}

// unescape returns what an escape sequence, from after its backslash, means,
// and its length: together with the next if they are a surrogate pair.
func unescape(s string) (c rune, n int) {
	switch s[0] {
	case 'u':
		c = hex4(s[1:])
		if len(s) >= 11 && s[5:7] == `\u` {
			if pair := utf16.DecodeRune(c, hex4(s[7:])); pair != utf8.RuneError {
				return pair, 11
			}
		}
		return c, 5
	case 'b':
		return '\b', 1
	case 'f':
		return '\f', 1
	case 'n':
		return '\n', 1
	case 'r':
		return '\r', 1
	case 't':
		return '\t', 1
	}
	return rune(s[0]), 1
}

func hex4(s string) (c rune) {
	for i := range 4 {
		digit, _ := hexDigit(s[i])
		c = c<<4 | digit
	}
	return c
}

// members yields the members of an object, in order, duplicates and all.
func (v value) members() iter.Seq2[value, value] {
	return func(yield func(name, member value) bool) {
		for i := v.first(); v.raw[i] != '}'; {
			nameEnd := v.end(i)
			start := blanks(v.raw, blanks(v.raw, nameEnd)+1) // after the colon
			end := v.end(start)
			if !yield(value{v.raw[i:nameEnd]}, value{v.raw[start:end]}) {
				return
			}
			i = v.next(end)
		}
	}
}

// items returns the items of an array.
func (v value) items() []value {
	var items []value
	for i := v.first(); v.raw[i] != ']'; {
		end := v.end(i)
		items = append(items, value{v.raw[i:end]})
		i = v.next(end)
	}
	return items
}

func (v value) first() int { return blanks(v.raw, 1) }

// next returns where what follows the member or item that ended at i begins.
func (v value) next(i int) int {
	if i = blanks(v.raw, i); v.raw[i] == ',' {
		i = blanks(v.raw, i+1)
	}
	return i
}

// end returns the index after the value that begins at i.
func (v value) end(i int) int {
	depth := 0
	for {
		switch c := v.raw[i]; c {
		case '"':
			i = stringEnd(v.raw, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		default:
			i = scalarEnd(v.raw, i)
		}
		if depth == 0 {
			return i
		}
	}
}

func stringEnd(s string, i int) int {
	for i++; s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func scalarEnd(s string, i int) int {
	for i < len(s) && strings.IndexByte(" \t\r\n,:]}", s[i]) < 0 {
		i++
	}
	return i
}

func blanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// append appends v as JSON that everyone reads: see appendFloat.
func (v value) append(dst []byte) []byte {
	for i := 0; i < len(v.raw); {
		switch c := v.raw[i]; {
		case c == '"':
			end := stringEnd(v.raw, i)
			dst = value{v.raw[i:end]}.appendString(dst)
			i = end
		case strings.IndexByte("{}[],:", c) >= 0:
			dst = append(dst, c)
			i++
		case blanks(v.raw, i) > i:
			i = blanks(v.raw, i)
		default:
			end := scalarEnd(v.raw, i)
			dst = value{v.raw[i:end]}.appendScalar(dst)
			i = end
		}
	}
	return dst
}

// appendString appends v, a string, with halves of surrogate pairs escaped as
// they are in v.
func (v value) appendString(dst []byte) []byte {
	text, whole := v.text()
	if whole {
		return jsonrpc.AppendString(dst, text)
	}
	dst = append(dst, '"')
	for s := v.raw[1 : len(v.raw)-1]; ; {
		before, rest, escaped := strings.Cut(s, `\`)
		dst = append(dst, before...)
		if !escaped {
			return append(dst, '"')
		}
		_, n := unescape(rest)
		dst = append(append(dst, '\\'), rest[:n]...)
		s = rest[n:]
	}
}

func (v value) appendScalar(dst []byte) []byte {
	if v.isNumber() && !v.isBool() {
		if f, ok := v.float(); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return appendFloat(dst, f)
		}
	}
	return append(dst, v.raw...)
}

// appendFloat appends f as JSON, which has no word for a number that is not
// finite: it becomes the string "inf", "-inf" or "nan".
func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"nan"`...)
	case math.IsInf(f, 1):
		return append(dst, `"inf"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-inf"`...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}
