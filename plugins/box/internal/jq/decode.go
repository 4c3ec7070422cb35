package jq

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A decoder reads JSON values one after the other. It decides after each byte, as jq does, so that
// its complaints come at the same places.
type decoder struct {
	r            feed
	line, column int
	newlines     int // seen in this input

	stack  []level
	next   any // a complete value that nothing has taken
	has    bool
	token  []byte
	state  int
	failed bool
	recent [256]any // strings that stood for themselves: keys come again and again
}

// maxRecent is how long strings are that are remembered, in bytes.
const maxRecent = 32

// A feed is what JSON is read from.
type feed interface {
	// next returns what comes next, as much as is at hand, until it is skipped; at the end, nothing
	next() []byte
	skip(n int)
}

// A whole is a feed that is a text.
type whole struct{ text []byte }

func (w *whole) next() []byte { return w.text }

func (w *whole) skip(n int) { w.text = w.text[n:] }

// A level is an array or an object that is not closed.
type level struct {
	array  []any
	object *object // nil for an array
	key    string
	keyed  bool // a key waits for its value
}

const (
	between  = iota
	inString // between quotes
	inEscape // behind a backslash
)

// maxParse is how deep jq 1.6 parses, in levels.
const maxParse = 256

func newDecoder(r feed) *decoder { return &decoder{r: r, line: 1} }

// decode parses text that is one value.
func decode(s string) (any, error) {
	d := newDecoder(&whole{[]byte(s)})
	v, err := d.value()
	if err == io.EOF {
		return nil, nil
	}
	if err == nil {
		if _, more := d.value(); more == nil {
			//lint:ignore ST1005 jq says it so
			err = errors.New("Unexpected extra JSON values")
		} else if more != io.EOF {
			err = more
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w (while parsing '%s')", err, s)
	}
	return v, nil
}

// Valid reports whether text is one JSON value, as jq reads it.
func Valid(text []byte) bool {
	_, err := decode(string(text))
	return err == nil
}

// value returns the next value, or io.EOF.
func (d *decoder) value() (any, error) {
	for !d.failed {
		p := d.r.next()
		if len(p) == 0 {
			return d.end()
		}
		if len(d.token) > maxString {
			d.failed = true
			return nil, errLarge
		}
		for i := 0; i < len(p); {
			if i += d.plain(p[i:]); i == len(p) {
				break
			}
			done, msg := d.scan(p[i])
			i++
			if msg != "" {
				d.failed = true
				d.r.skip(i)
				return nil, fmt.Errorf("%s at line %d, column %d", msg, d.line, d.column)
			}
			if done {
				d.r.skip(i)
				return d.take(), nil
			}
		}
		d.r.skip(len(p))
	}
	return nil, io.EOF
}

// plain takes the bytes that p begins with and that only belong to a string or a word, and returns
// how many they are.
func (d *decoder) plain(p []byte) int {
	n := 0
	switch d.state {
	case inString:
		for n < len(p) && p[n] != '"' && p[n] != '\\' && p[n] != '\n' {
			n++
		}
	case between:
		for n < len(p) && ('a' <= p[n] && p[n] <= 'z' || '0' <= p[n] && p[n] <= '9' || p[n] == '.') {
			n++
		}
	}
	d.token = append(d.token, p[:n]...)
	d.column += n
	return n
}

func (d *decoder) take() any {
	v := d.next
	d.next, d.has = nil, false
	return v
}

func (d *decoder) end() (any, error) {
	d.failed = true
	msg := ""
	if d.state != between {
		msg = "Unfinished string"
	} else if msg = d.literal(); msg == "" && len(d.stack) > 0 {
		msg = "Unfinished JSON term"
	}
	if msg != "" {
		return nil, fmt.Errorf("%s at EOF at line %d, column %d", msg, d.line, d.column)
	}
	if d.has {
		return d.take(), nil
	}
	return nil, io.EOF
}

// scan takes one byte. It returns true when a whole value is there.
func (d *decoder) scan(c byte) (done bool, msg string) {
	d.column++
	if c == '\n' {
		d.line++
		d.newlines++
		d.column = 0
	}
	switch d.state {
	case inEscape:
		d.token = append(d.token, c)
		d.state = inString
		return false, ""
	case inString:
		if c != '"' {
			d.token = append(d.token, c)
			if c == '\\' {
				d.state = inEscape
			}
			return false, ""
		}
		d.state = between
		if msg = d.string(); msg != "" {
			return false, msg
		}
		return d.done(), ""
	}
	switch c {
	case ' ', '\t', '\r', '\n':
		msg = d.literal()
	case '[', '{', ':', ',', ']', '}':
		// A literal at the top ends with what follows it.
		if msg = d.literal(); msg == "" {
			msg = d.structure(c)
		}
	case '"':
		msg = d.literal()
		d.state = inString
	default:
		d.token = append(d.token, c)
		return false, ""
	}
	return msg == "" && d.done(), msg
}

func (d *decoder) done() bool { return d.has && len(d.stack) == 0 && d.state == between }

func (d *decoder) push(v any) string {
	if d.has {
		return "Expected separator between values"
	}
	d.next, d.has = v, true
	return ""
}

// literal ends a word or a number.
func (d *decoder) literal() string {
	if len(d.token) == 0 {
		return ""
	}
	token := d.token
	d.token = d.token[:0]
	if n, ok := digits(token); ok {
		return d.push(n)
	}
	switch word := string(token); {
	case word == "null":
		return d.push(nil)
	case word == "true":
		return d.push(true)
	case word == "false":
		return d.push(false)
	case word == "nan":
		return d.push(notANumber)
	case word[0] == 't', word[0] == 'f', word[0] == 'n' && len(word) != 3:
		return "Invalid literal"
	}
	f, ok := parseNumber(string(token))
	if !ok {
		return "Invalid numeric literal"
	}
	return d.push(f)
}

// parseNumber reads a number as C does, without hexadecimal digits and names.
func parseNumber(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}

// digits reads a number that is so few digits that it is exact.
func digits(p []byte) (n float64, ok bool) {
	for _, c := range p {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + float64(c-'0')
	}
	return n, len(p) <= 15
}

func (d *decoder) structure(c byte) string {
	var top *level
	if len(d.stack) > 0 {
		top = &d.stack[len(d.stack)-1]
	}
	switch c {
	case '[', '{':
		if len(d.stack) >= maxParse {
			return "Exceeds depth limit for parsing"
		}
		if d.has {
			return "Expected separator between values"
		}
		l := level{array: []any{}}
		if c == '{' {
			l = level{object: &object{}}
		}
		d.stack = append(d.stack, l)
		return ""
	case ':':
		return d.colon(top)
	case ',':
		return d.comma(top)
	case ']':
		return d.closeArray(top)
	}
	return d.closeObject(top)
}

func (d *decoder) colon(top *level) string {
	switch {
	case !d.has:
		return "Expected string key before ':'"
	case top == nil || top.object == nil || top.keyed:
		return "':' not as part of an object"
	}
	key, ok := d.next.(string)
	if !ok {
		return "Object keys must be strings"
	}
	d.take()
	top.key, top.keyed = key, true
	return ""
}

func (d *decoder) comma(top *level) string {
	switch {
	case !d.has:
		return "Expected value before ','"
	case top == nil:
		return "',' not as part of an object or array"
	case top.object == nil:
		top.array = append(top.array, d.take())
	case !top.keyed:
		return "Objects must consist of key:value pairs"
	default:
		top.object.set(top.key, d.take())
		top.keyed = false
	}
	return ""
}

func (d *decoder) closeArray(top *level) string {
	switch {
	case top == nil || top.object != nil:
		return "Unmatched ']'"
	case d.has:
		top.array = append(top.array, d.take())
	case len(top.array) > 0:
		return "Expected another array element"
	}
	return d.pop(top.array)
}

func (d *decoder) closeObject(top *level) string {
	switch {
	case top == nil:
		return "Unmatched '}'"
	case d.has:
		if top.object == nil || !top.keyed {
			return "Objects must consist of key:value pairs"
		}
		top.object.set(top.key, d.take())
	case top.object == nil || top.keyed:
		return "Unmatched '}'"
	case len(top.object.keys) > 0:
		return "Expected another key-value pair"
	}
	return d.pop(top.object)
}

func (d *decoder) pop(v any) string {
	d.stack = d.stack[:len(d.stack)-1]
	return d.push(v)
}

// string ends a string: its escapes become what they mean.
func (d *decoder) string() string {
	token := d.token
	d.token = d.token[:0]
	slot := &d.recent[0]
	if n := len(token); n > 0 {
		slot = &d.recent[(uint(token[0])*31+uint(token[n-1])*7+uint(n))%uint(len(d.recent))]
	}
	if *slot != nil && (*slot).(string) == string(token) {
		return d.push(*slot)
	}
	raw := string(token)
	s, msg := unescape(raw)
	if msg != "" {
		return msg
	}
	v := any(s)
	if s == raw && len(s) <= maxRecent {
		*slot = v
	}
	return d.push(v)
}

func unescape(raw string) (s, msg string) {
	if isPlain(raw) {
		return raw, ""
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		c := raw[i]
		i++
		if c != '\\' {
			if c > 0 && c < 0x1f {
				return "", "Invalid string: control characters from U+0000 through U+001F must be escaped"
			}
			b.WriteByte(c)
			continue
		}
		if i == len(raw) {
			return "", "Expected escape character at end of string"
		}
		c = raw[i]
		i++
		if at := strings.IndexByte(`"\/bfnrt`, c); at >= 0 {
			b.WriteByte("\"\\/\b\f\n\r\t"[at])
			continue
		}
		if c != 'u' {
			return "", "Invalid escape"
		}
		if i+4 > len(raw) {
			return "", `Invalid \uXXXX escape`
		}
		r, ok := hex4(raw[i:])
		if !ok {
			return "", `Invalid characters in \uXXXX escape`
		}
		i += 4
		if r >= 0xd800 && r < 0xdc00 {
			low := rune(utf8.RuneError)
			if strings.HasPrefix(raw[i:], `\u`) && len(raw) >= i+6 {
				low, _ = hex4(raw[i+2:])
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return "", `Invalid \uXXXX\uXXXX surrogate pair escape`
			}
			i += 6
		}
		b.WriteRune(r)
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD"), ""
}

// isPlain reports whether a string is what stands between its quotes, at a glance.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func hex4(s string) (rune, bool) {
	n, err := strconv.ParseUint(s[:4], 16, 32)
	return rune(n), err == nil
}
