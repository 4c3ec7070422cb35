package awk

import (
	"fmt"
	"strings"
)

// A token is a word of the language. Operators and keywords are their own text.
type token struct {
	kind tokenKind
	text string
	num  float64
	line int
}

type tokenKind byte

const (
	tokEOF tokenKind = iota
	tokNewline
	tokName
	tokFunc // a name with "(" right behind it
	tokBuiltin
	tokNumber
	tokString
	tokRegex
	tokOp // operators, punctuation and keywords
)

var keywords = map[string]bool{
	"BEGIN": true, "END": true, "function": true, "func": true, "if": true, "else": true, "while": true, "for": true, "do": true,
	"break": true, "continue": true, "next": true, "nextfile": true, "exit": true, "return": true, "delete": true, "in": true,
	"getline": true, "print": true, "printf": true,
}

var builtins = map[string]bool{
	"atan2": true, "close": true, "cos": true, "exp": true, "fflush": true, "gensub": true, "gsub": true, "index": true, "int": true,
	"length": true, "log": true, "match": true, "mktime": true, "rand": true, "sin": true, "split": true, "sprintf": true,
	"sqrt": true, "srand": true, "strftime": true, "sub": true, "substr": true, "system": true, "systime": true, "tolower": true,
	"toupper": true, "and": true, "or": true, "xor": true, "lshift": true, "rshift": true, "compl": true, "strtonum": true,
	"asort": true, "asorti": true,
}

// operators, the longer ones first.
var operators = []string{
	"**=", "&&", "||", "==", "!=", "<=", ">=", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**", ">>", "!~",
	"{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|", "?", ":", "~", "$", "=",
}

// A lexer cuts a program into tokens.
type lexer struct {
	src  string
	pos  int
	line int
	last token // decides whether a slash divides
}

// A syntaxError is what is wrong with a program, in mawk's words.
type syntaxError struct {
	line int
	msg  string
	next *syntaxError // what mawk says after that
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.msg) }

func (l *lexer) errorf(format string, a ...any) error {
	return &syntaxError{line: l.line, msg: fmt.Sprintf(format, a...)}
}

// next returns the next token. A slash begins a regular expression where an operand may stand.
func (l *lexer) next() (token, error) {
	t, err := l.scan()
	t.line = l.line
	if t.kind == tokNewline {
		t.line--
	}
	l.last = t
	return t, err
}

func (l *lexer) scan() (token, error) {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			l.pos++
		case c == '\\' && strings.HasPrefix(l.src[l.pos:], "\\\n"):
			l.pos += 2
			l.line++
		case c == '\\' && strings.HasPrefix(l.src[l.pos:], "\\\r\n"):
			l.pos += 3
			l.line++
		case c == '#':
			for l.pos < len(l.src) && l.src[l.pos] != '\n' {
				l.pos++
			}
		case c == '\n':
			l.pos++
			l.line++
			return token{kind: tokNewline, text: "end of line"}, nil
		case c == '"':
			return l.string()
		case c == '/' && !l.divides():
			return l.regex()
		case isDigit(c) || c == '.' && l.pos+1 < len(l.src) && isDigit(l.src[l.pos+1]):
			return l.number(), nil
		case isLetter(c):
			return l.word(), nil
		default:
			for _, op := range operators {
				if strings.HasPrefix(l.src[l.pos:], op) {
					l.pos += len(op)
					return token{kind: tokOp, text: op}, nil
				}
			}
			return token{}, l.errorf("unexpected character '%c'", c)
		}
	}
	return token{kind: tokEOF, text: "end of file"}, nil
}

// divides reports whether a slash here is an operator: it follows an operand.
func (l *lexer) divides() bool {
	switch l.last.kind {
	case tokName, tokNumber, tokString, tokRegex, tokBuiltin:
		return true
	case tokOp:
		switch l.last.text {
		case ")", "]", "$", "++", "--":
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func (l *lexer) word() token {
	from := l.pos
	for l.pos < len(l.src) && (isLetter(l.src[l.pos]) || isDigit(l.src[l.pos])) {
		l.pos++
	}
	word := l.src[from:l.pos]
	switch {
	case word == "func":
		return token{kind: tokOp, text: "function"}
	case keywords[word]:
		return token{kind: tokOp, text: word}
	case builtins[word]:
		return token{kind: tokBuiltin, text: word}
	case l.pos < len(l.src) && l.src[l.pos] == '(':
		return token{kind: tokFunc, text: word}
	}
	return token{kind: tokName, text: word}
}

func (l *lexer) number() token {
	s := l.src[l.pos:]
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X") {
		i, n := 2, 0.0
		for i < len(s) && strings.IndexByte("0123456789abcdef", s[i]|0x20) >= 0 {
			n = n*16 + float64(strings.IndexByte("0123456789abcdef", s[i]|0x20))
			i++
		}
		if i > 2 {
			l.pos += i
			return token{kind: tokNumber, num: n, text: s[:i]}
		}
	}
	n, used := parseNumber(s)
	l.pos += used
	return token{kind: tokNumber, num: n, text: s[:used]}
}

func (l *lexer) string() (token, error) {
	from := l.pos
	l.pos++
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; c {
		case '"':
			l.pos++
			return token{kind: tokString, text: unescape(l.src[from+1 : l.pos-1])}, nil
		case '\n':
			return token{}, l.errorf("runaway string constant %s ...", clip(l.src[from:l.pos]))
		case '\\':
			if l.pos+1 < len(l.src) && l.src[l.pos+1] == '\n' {
				l.line++
			}
			l.pos += 2
		default:
			l.pos++
		}
	}
	return token{}, l.errorf("runaway string constant %s ...", clip(l.src[from:]))
}

// clip shortens text for a message.
func clip(s string) string { return s[:min(len(s), 10)] }

func (l *lexer) regex() (token, error) {
	from := l.pos
	l.pos++
	list := false
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '\n':
			return token{}, l.errorf("runaway regular expression %s ...", clip(l.src[from:l.pos]))
		case c == '\\':
			l.pos += 2
			continue
		case c == '[' && !list:
			list = true
			if l.pos+1 < len(l.src) && l.src[l.pos+1] == '^' {
				l.pos++
			}
			if l.pos+1 < len(l.src) && l.src[l.pos+1] == ']' {
				l.pos++
			}
		case c == '[' && l.pos+1 < len(l.src) && l.src[l.pos+1] == ':':
			if end := strings.Index(l.src[l.pos:], ":]"); end > 0 {
				l.pos += end + 1
			}
		case c == ']':
			list = false
		case c == '/' && !list:
			l.pos++
			return token{kind: tokRegex, text: l.src[from+1 : l.pos-1]}, nil
		}
		l.pos++
	}
	return token{}, l.errorf("runaway regular expression %s ...", clip(l.src[from:]))
}

// unescape replaces the escapes of a string. An unknown one keeps its backslash, as mawk's does.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		c := s[i]
		switch {
		case c == '\n':
		case c == '"' || c == '\\' || c == '/':
			b.WriteByte(c)
		case '0' <= c && c <= '7':
			n, k := 0, 0
			for ; k < 3 && i+k < len(s) && '0' <= s[i+k] && s[i+k] <= '7'; k++ {
				n = n*8 + int(s[i+k]-'0')
			}
			b.WriteByte(byte(n))
			i += k - 1
		default:
			if k := strings.IndexByte("abtnvfr", c); k >= 0 {
				b.WriteByte('\a' + byte(k))
				continue
			}
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}
