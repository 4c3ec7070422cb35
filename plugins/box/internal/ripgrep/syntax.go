package ripgrep

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// A syntaxError is a fault of a pattern in the words of Rust's regex, with the part that is meant.
type syntaxError struct {
	pattern    string
	start, end int // bytes of pattern
	message    string
}

func (e *syntaxError) Error() string {
	before := utf8.RuneCountInString(e.pattern[:e.start])
	marks := max(1, utf8.RuneCountInString(e.pattern[e.start:min(e.end, len(e.pattern))]))
	text := "regex parse error:\n    " + e.pattern + "\n    " + strings.Repeat(" ", before) + strings.Repeat("^", marks) +
		"\nerror: " + e.message
	if e.message == errLookAround || e.message == errBackref {
		text += "\n\nConsider enabling PCRE2 with the --pcre2 flag, which can handle backreferences\nand look-around."
	}
	return text
}

const (
	errLookAround = "look-around, including look-ahead and look-behind, is not supported"
	errBackref    = "backreferences are not supported"
	errClass      = "unclosed character class"
	errDecimal    = "repetition quantifier expects a valid decimal"
	errEscape     = "unrecognized escape sequence"
	errFlag       = "unrecognized flag"
	errGroup      = "unclosed group"
	errHex        = "invalid hexadecimal digit"
	errInterval   = "unclosed counted repetition"
	errMissing    = "repetition operator missing expression"
	errOrder      = "invalid repetition count range, the start must be <= the end"
	errProperty   = "Unicode property not found"
	errRange      = "invalid character class range, the start must be <= the end"
	errUnfinished = "incomplete escape sequence, reached end of pattern prematurely"
	errUnopened   = "unopened group"
	errUnnamed    = "unclosed capture group name"
	errBadName    = "invalid capture group character"
	errHere       = "not supported in this sandbox"
)

// A translator reads a pattern of Rust's syntax, says what is wrong with it, and writes it in
// Perl's, which differs in what neither says with the same signs.
type translator struct {
	src    string
	pos    int
	out    []byte
	groups []group
	atom   int  // where in out begins what a repetition repeats; -1 if nothing does
	again  bool // the atom is repeated already
	breaks bool // the pattern can match a line break
	upper  bool // a letter of the pattern is a capital
}

type group struct{ src, out int }

// translate returns what pattern is in Perl's syntax.
func translate(pattern string) (t *translator, err error) {
	t = &translator{src: pattern, atom: -1}
	for t.pos < len(t.src) {
		if err := t.next(); err != nil {
			return nil, err
		}
	}
	if n := len(t.groups); n > 0 {
		at := t.groups[n-1].src
		return nil, t.fault(at, at+1, errGroup)
	}
	return t, nil
}

func (t *translator) fault(start, end int, message string) error {
	return &syntaxError{t.src, start, end, message}
}

func (t *translator) next() error {
	at := t.pos
	switch c := t.src[at]; c {
	case '(':
		return t.open()
	case ')':
		n := len(t.groups)
		if n == 0 {
			return t.fault(at, at+1, errUnopened)
		}
		t.atom, t.again = t.groups[n-1].out, false
		t.groups = t.groups[:n-1]
		t.emit(")")
		t.pos++
	case '|':
		t.atom = -1
		t.emit("|")
		t.pos++
	case '*', '+', '?', '{':
		return t.repeat()
	case '[':
		t.begin()
		return t.class()
	case '\\':
		t.begin()
		_, err := t.escape()
		return err
	default:
		_, size := utf8.DecodeRuneInString(t.src[at:])
		t.begin()
		t.literal(t.src[at : at+size])
		t.pos += size
	}
	return nil
}

func (t *translator) emit(s string) { t.out = append(t.out, s...) }

func (t *translator) begin() { t.atom, t.again = len(t.out), false }

func (t *translator) literal(s string) {
	r, _ := utf8.DecodeRuneInString(s)
	t.upper = t.upper || unicode.IsUpper(r)
	t.emit(s)
}

// open reads the beginning of a group, or flags.
func (t *translator) open() error {
	at, rest := t.pos, t.src[t.pos:]
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(rest, look) {
			return t.fault(at, at+len(look), errLookAround)
		}
	}
	t.groups = append(t.groups, group{at, len(t.out)})
	t.atom = -1
	switch {
	case strings.HasPrefix(rest, "(?P<"):
		name, _, ok := strings.Cut(rest[4:], ">")
		if !ok {
			return t.fault(len(t.src), len(t.src)+1, errUnnamed)
		}
		if name == "" {
			return t.fault(at+4, at+5, "empty capture group name")
		}
		for i, r := range name {
			if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
				return t.fault(at+4+i, at+5+i, errBadName)
			}
		}
		t.emit("(?<" + name + ">")
		t.pos += len("(?P<>") + len(name)
	case rest == "(?":
		return t.fault(at, at+1, errGroup)
	case strings.HasPrefix(rest, "(?"):
		return t.flags()
	default:
		t.emit("(")
		t.pos++
	}
	return nil
}

// flags reads what follows "(?", to ":" or ")".
func (t *translator) flags() error {
	t.emit("(?")
	for t.pos += 2; t.pos < len(t.src); t.pos++ {
		switch c := t.src[t.pos]; c {
		case 'u': // as it is
		case 'i', 'm', 'x', '-':
			t.emit(string(c))
		case 's':
			t.breaks = true
			t.emit("s")
		case 'U':
			return t.fault(t.pos, t.pos+1, errHere)
		case ':', ')':
			if t.src[t.pos-1] == '-' {
				return t.fault(t.pos-1, t.pos, "dangling flag negation operator")
			}
			t.emit(string(c))
			if c == ')' {
				t.groups = t.groups[:len(t.groups)-1]
			}
			t.pos++
			return nil
		default:
			return t.fault(t.pos, t.pos+1, errFlag)
		}
	}
	return t.fault(t.pos, t.pos+1, "expected flag but got end of regex")
}

// repeat reads a repetition. What is repeated twice is a group in Perl's syntax, where "a*+" means
// something else.
func (t *translator) repeat() error {
	at := t.pos
	if t.atom < 0 {
		return t.fault(at, at+1, errMissing)
	}
	sign := t.src[at : at+1]
	t.pos++
	if sign == "{" {
		var err error
		if sign, err = t.interval(); err != nil {
			return err
		}
	}
	if t.again {
		t.out = fmt.Appendf(t.out[:t.atom:t.atom], "(?:%s)", t.out[t.atom:])
	}
	t.again = true
	t.emit(sign)
	if t.pos < len(t.src) && t.src[t.pos] == '?' {
		t.emit("?")
		t.pos++
	}
	return nil
}

// interval reads what follows "{".
func (t *translator) interval() (string, error) {
	at := t.pos - 1
	low, err := t.decimal(at)
	if err != nil {
		return "", err
	}
	high := low
	open := false
	if t.at(',') {
		t.pos++
		if open = t.at('}'); !open {
			if high, err = t.decimal(at); err != nil {
				return "", err
			}
		}
	}
	if !t.at('}') {
		return "", t.fault(at, t.pos, errInterval)
	}
	t.pos++
	if low > high {
		return "", t.fault(at, t.pos, errOrder)
	}
	if open {
		return fmt.Sprintf("{%d,}", low), nil
	}
	return fmt.Sprintf("{%d,%d}", low, high), nil
}

func (t *translator) at(c byte) bool { return t.pos < len(t.src) && t.src[t.pos] == c }

func (t *translator) decimal(open int) (int, error) {
	start := t.pos
	for t.pos < len(t.src) && '0' <= t.src[t.pos] && t.src[t.pos] <= '9' {
		t.pos++
	}
	switch {
	case start == len(t.src):
		return 0, t.fault(open, open+1, errInterval)
	case start == t.pos:
		return 0, t.fault(start, start+1, errDecimal)
	}
	n, err := strconv.ParseUint(t.src[start:t.pos], 10, 31)
	if err != nil {
		return 0, t.fault(start, t.pos, "decimal literal invalid")
	}
	return int(n), nil
}

// escape reads what begins with a backslash. It returns the character that it stands for, -1 if
// that is a class.
func (t *translator) escape() (rune, error) {
	at := t.pos
	if at+1 == len(t.src) {
		return 0, t.fault(at, at+1, errUnfinished)
	}
	c, size := utf8.DecodeRuneInString(t.src[at+1:])
	t.pos += 1 + size
	switch {
	case '0' <= c && c <= '9':
		return 0, t.fault(at, t.pos, errBackref)
	case c == 'x' || c == 'u' || c == 'U':
		return t.hex(at, map[rune]int{'x': 2, 'u': 4, 'U': 8}[c])
	case c == 'p' || c == 'P':
		return -1, t.property(at)
	case strings.ContainsRune("nrtfva", c):
		control := rune("\n\r\t\f\v\a"[strings.IndexRune("nrtfva", c)])
		t.breaks = t.breaks || c == 'n'
		t.out = fmt.Appendf(t.out, `\x{%x}`, control)
		return control, nil
	case strings.ContainsRune("dDsSwWbBAz", c):
		t.breaks = t.breaks || c == 's' || c == 'D' || c == 'W'
		t.emit(t.src[at:t.pos])
		return -1, nil
	case strings.ContainsRune(`\.+*?()|[]{}^$#&-~`, c):
		t.emit(t.src[at:t.pos])
		return c, nil
	}
	return 0, t.fault(at, t.pos, errEscape)
}

// hex reads a character's number: of so many digits, or between braces.
func (t *translator) hex(at, digits int) (rune, error) {
	var text string
	if t.at('{') {
		t.pos++
		inside, _, ok := strings.Cut(t.src[t.pos:], "}")
		if !ok {
			return 0, t.fault(at, len(t.src), errUnfinished)
		}
		text = inside
		digits = len(inside) + 1
	} else {
		if t.pos+digits > len(t.src) {
			return 0, t.fault(at, len(t.src), errUnfinished)
		}
		text = t.src[t.pos : t.pos+digits]
	}
	for i, c := range text {
		if !strings.ContainsRune("0123456789abcdefABCDEF", c) {
			return 0, t.fault(t.pos+i, t.pos+i+1, errHex)
		}
	}
	n, err := strconv.ParseUint(text, 16, 32)
	if err != nil || n > unicode.MaxRune {
		return 0, t.fault(at, t.pos+len(text), "hexadecimal literal is not a Unicode scalar value")
	}
	t.pos += digits
	t.breaks = t.breaks || n == '\n'
	t.out = fmt.Appendf(t.out, `\x{%x}`, n)
	return rune(n), nil
}

// property reads what follows "\p".
func (t *translator) property(at int) error {
	if t.pos == len(t.src) {
		return t.fault(at, t.pos, errUnfinished)
	}
	_, size := utf8.DecodeRuneInString(t.src[t.pos:])
	if t.at('{') {
		size = strings.IndexByte(t.src[t.pos:], '}') + 1
	}
	if size == 0 {
		return t.fault(at, len(t.src), errUnfinished)
	}
	t.pos += size
	text := t.src[at:t.pos]
	if _, err := regex.Compile(text, regex.Options{Perl: true}); err != nil {
		return t.fault(at, t.pos, errProperty)
	}
	t.breaks = t.breaks || text[1] == 'P'
	t.emit(text)
	return nil
}

// class reads a list in brackets.
func (t *translator) class() error {
	at := t.pos
	t.pos++
	t.emit("[")
	if t.at('^') {
		t.breaks = true
		t.emit("^")
		t.pos++
	}
	if t.at(']') {
		t.emit(`\]`)
		t.pos++
	}
	for t.pos < len(t.src) && !t.at(']') {
		if err := t.member(); err != nil {
			return err
		}
	}
	if t.pos == len(t.src) {
		return t.fault(at, at+1, errClass)
	}
	t.emit("]")
	t.pos++
	return nil
}

// member reads a character of a list, or a range of them, or a class.
func (t *translator) member() error {
	at, rest := t.pos, t.src[t.pos:]
	for _, operator := range []string{"&&", "--", "~~"} {
		if strings.HasPrefix(rest, operator) {
			return t.fault(at, at+2, errHere)
		}
	}
	if strings.HasPrefix(rest, "[:") {
		if name, _, ok := strings.Cut(rest[2:], ":]"); ok {
			if name == "ascii" {
				t.emit(`\x00-\x7f`)
			} else {
				t.emit("[:" + name + ":]")
			}
			t.pos += len("[::]") + len(name)
			return nil
		}
	}
	if rest[0] == '[' {
		if strings.Count(rest, "]") > 1 {
			return t.fault(at, at+1, errHere)
		}
		return t.fault(at, at+2, errClass)
	}
	low, err := t.single()
	if err != nil || low < 0 || !t.at('-') || t.pos+1 == len(t.src) || t.src[t.pos+1] == ']' || t.src[t.pos+1] == '-' {
		return err
	}
	t.emit("-")
	t.pos++
	high, err := t.single()
	switch {
	case err == nil && high < 0:
		err = t.fault(at+2, t.pos, "invalid range boundary, must be a literal")
	case err == nil && high < low:
		err = t.fault(at, t.pos, errRange)
	}
	return err
}

// single reads one character of a list; -1 stands for a class.
func (t *translator) single() (rune, error) {
	if t.at('\\') {
		return t.escape()
	}
	r, size := utf8.DecodeRuneInString(t.src[t.pos:])
	text := t.src[t.pos : t.pos+size]
	t.pos += size
	if r == '-' || r == '[' {
		t.emit(`\`)
	}
	t.literal(text)
	return r, nil
}
