package bc

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A token is a name, a number, a string, an operator or a line's end.
type token struct {
	kind byte // one of the below, or 0 at the end of the input
	text string
}

const (
	tokenName   = 'n'
	tokenWord   = 'w' // a keyword
	tokenNumber = '1'
	tokenString = '"'
	tokenOp     = 'o'
	tokenLine   = '\n'
)

const keywords = " auto break continue define else for halt if length limits print quit return scale sqrt void warranty " +
	"while ibase obase last read random "

func isKeyword(word string) bool { return strings.Contains(keywords, " "+word+" ") }

// operators has the longer ones first.
var operators = []string{"&&", "||", "==", "!=", "<=", ">=", "++", "--", "+=", "-=", "*=", "/=", "%=", "^="}

// A lexer reads tokens, and lines only as it needs them.
type lexer struct {
	lines *tool.Lines
	input string // its name, in messages
	line  int    // of the next token
	text  string // what was read and is not taken
	tok   token
	warn  func(message string)
}

// fill reads one more line. It returns false at the end.
func (l *lexer) fill() bool {
	text, ok := l.lines.Next()
	if !ok {
		if err := l.lines.Err(); err != nil {
			l.warn(l.input + ": " + tool.Strerror(err))
		}
		return false
	}
	l.text += string(text)
	if l.lines.Ended {
		l.text += "\n"
	}
	return true
}

func isName(c byte) bool  { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' || c == '.' }

// next reads the next token.
func (l *lexer) next() {
	for {
		l.text = strings.TrimLeft(l.text, " \t\r")
		if l.text == "" {
			if !l.fill() {
				l.tok = token{}
				return
			}
			continue
		}
		if l.skip() {
			continue
		}
		break
	}
	c := l.text[0]
	switch {
	case c == '\n':
		l.line++
		l.take(tokenLine, 1)
	case c >= 'a' && c <= 'z':
		n := 1
		for n < len(l.text) && isName(l.text[n]) {
			n++
		}
		kind := byte(tokenName)
		if isKeyword(l.text[:n]) {
			kind = tokenWord
		}
		l.take(kind, n)
	case c == '.' && (len(l.text) == 1 || !isDigit(l.text[1])):
		l.take(tokenWord, 1)
		l.tok.text = "last"
	case isDigit(c):
		l.number()
	case c == '"':
		l.string()
	default:
		l.operator()
	}
}

func (l *lexer) take(kind byte, n int) {
	l.tok = token{kind, l.text[:n]}
	l.text = l.text[n:]
}

// skip skips a comment or a line that goes on, or complains about a character. It returns false
// before a token.
func (l *lexer) skip() bool {
	switch c := l.text[0]; {
	case c == '#':
		l.text = l.text[strings.IndexByte(l.text+"\n", '\n'):]
	case strings.HasPrefix(l.text, "\\\n"):
		l.line++
		l.text = l.text[2:]
	case strings.HasPrefix(l.text, "/*"):
		for !strings.Contains(l.text[2:], "*/") {
			if !l.fill() {
				l.warn("EOF encountered in a comment.")
				l.text = ""
				return true
			}
		}
		end := strings.Index(l.text[2:], "*/") + 4
		l.line += strings.Count(l.text[:end], "\n")
		l.text = l.text[end:]
	case c == '"':
		for !strings.Contains(l.text[1:], `"`) {
			if !l.fill() {
				l.illegal(c)
				return true
			}
		}
		return false
	case c >= 'a' && c <= 'z' || isDigit(c) || strings.IndexByte("\n+-*/%^=<>!()[]{},;&|", c) >= 0:
		return false
	default:
		l.illegal(c)
	}
	return true
}

func (l *lexer) illegal(c byte) {
	shown := string(rune(c))
	if c < ' ' || c > '~' {
		shown = fmt.Sprintf("\\%03o", c)
	}
	l.warn(fmt.Sprintf("(%s) %d: illegal character: %s", l.input, l.line, shown))
	l.text = l.text[1:]
}

// number reads digits, over the end of a line if a backslash is before it.
func (l *lexer) number() {
	var b strings.Builder
	point := false
	for {
		if strings.HasPrefix(l.text, "\\\n") {
			l.line++
			if l.text = l.text[2:]; l.text == "" {
				l.fill()
			}
			continue
		}
		if l.text == "" || !isDigit(l.text[0]) || l.text[0] == '.' && point {
			break
		}
		point = point || l.text[0] == '.'
		b.WriteByte(l.text[0])
		l.text = l.text[1:]
	}
	l.tok = token{tokenNumber, b.String()}
}

func (l *lexer) string() {
	end := strings.IndexByte(l.text[1:], '"') + 1
	l.tok = token{tokenString, l.text[1:end]}
	l.line += strings.Count(l.tok.text, "\n")
	l.text = l.text[end+1:]
}

func (l *lexer) operator() {
	for _, op := range operators {
		if strings.HasPrefix(l.text, op) {
			l.take(tokenOp, len(op))
			return
		}
	}
	l.take(tokenOp, 1)
}
