package jq

import "strings"

// A token is a word, a number, an operator, or the quotation mark that begins a string.
type token struct {
	kind  tokenKind
	text  string
	start int
}

type tokenKind int

const (
	tokenEnd      tokenKind = iota
	tokenWord               // a name or a keyword
	tokenVariable           // "$name"
	tokenField              // ".name"
	tokenFormat             // "@name"
	tokenNumber
	tokenQuote
	tokenOperator
	tokenInvalid
)

// keywords can't be names of functions.
const keywords = " if then elif else end as def reduce foreach try catch label and or import include __loc__ "

func isKeyword(word string) bool { return strings.Contains(keywords, " "+word+" ") }

// operatorTexts has the longer ones first.
var operatorTexts = []string{"?//", "//=", "==", "!=", "//", "|=", "+=", "-=", "*=", "/=", "%=", "<=", ">=", ".."}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// next reads the next token.
func (p *parser) next() {
	p.skipBlank()
	p.tok = token{start: p.pos}
	rest := p.source[p.pos:]
	if rest == "" {
		return
	}
	n := 1
	switch c := rest[0]; {
	case c == '"':
		p.tok.kind = tokenQuote
	case isLetter(c):
		p.tok.kind, n = tokenWord, wordLength(rest, 0)
	case (c == '$' || c == '@' || c == '.') && len(rest) > 1 && isLetter(rest[1]):
		p.tok.kind = map[byte]tokenKind{'$': tokenVariable, '@': tokenFormat, '.': tokenField}[c]
		n = wordLength(rest, 1)
	case isDigit(c), c == '.' && len(rest) > 1 && isDigit(rest[1]):
		p.tok.kind, n = tokenNumber, numberLength(rest)
	case strings.IndexByte(".[](){},:;|=+-*/%<>?$", c) >= 0, strings.HasPrefix(rest, "!="):
		p.tok.kind = tokenOperator
		for _, op := range operatorTexts {
			if strings.HasPrefix(rest, op) {
				n = len(op)
				break
			}
		}
	default:
		p.tok.kind = tokenInvalid
	}
	p.tok.text = rest[:n]
	p.pos += n
}

func (p *parser) skipBlank() {
	for p.pos < len(p.source) {
		switch p.source[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		case '#':
			end := strings.IndexByte(p.source[p.pos:], '\n')
			if end < 0 {
				end = len(p.source) - p.pos
			}
			p.pos += end
		default:
			return
		}
	}
}

func wordLength(s string, from int) int {
	n := from
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n]) || strings.HasPrefix(s[n:], "::") || n > 0 && strings.HasPrefix(s[n-1:], "::") && s[n] == ':') {
		n++
	}
	return n
}

func numberLength(s string) int {
	n := 0
	digits := func() {
		for n < len(s) && isDigit(s[n]) {
			n++
		}
	}
	digits()
	if n < len(s) && s[n] == '.' {
		n++
		digits()
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		mark := n
		n++
		if n < len(s) && (s[n] == '+' || s[n] == '-') {
			n++
		}
		if n == len(s) || !isDigit(s[n]) {
			return mark
		}
		digits()
	}
	return n
}

// grammarName is what jq's grammar calls a token.
func (t token) grammarName() string {
	switch t.kind {
	case tokenEnd:
		return "$end"
	case tokenWord:
		if isKeyword(t.text) {
			return t.text
		}
		return "IDENT"
	case tokenVariable:
		return "'$'"
	case tokenField:
		return "FIELD"
	case tokenFormat:
		return "FORMAT"
	case tokenNumber:
		return "LITERAL"
	case tokenQuote:
		return "QQSTRING_START"
	case tokenInvalid:
		return "INVALID_CHARACTER"
	}
	switch t.text { // a closing bracket that nothing opened is no token to jq
	case "}", "]", ")":
		return "'" + t.text + "'"
	}
	if len(t.text) > 1 {
		return t.text
	}
	return "'" + t.text + "'"
}
