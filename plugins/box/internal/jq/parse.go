package jq

import (
	"strings"
	"sync"
)

// A parser turns a program into a query, one token ahead.
type parser struct {
	source string
	pos    int // behind tok
	tok    token
	depth  int
	open   []byte // brackets that are not closed
}

// A syntaxError ends parsing.
type syntaxError struct {
	message string
	at      int
}

// parse parses a program. Of what is wrong it returns jq's complaint.
func parse(program string) (q *query, wrong string) {
	p := &parser{source: program}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *syntaxError:
			q, wrong = nil, complaint(program, r.message, r.at)
		default:
			panic(r)
		}
	}()
	p.next()
	if p.tok.kind == tokenEnd {
		return &query{term: &term{}}, ""
	}
	for p.is("def") { // a program may be definitions only
		d := p.definition()
		if q == nil {
			q = &query{}
		}
		q.funcDefs = append(q.funcDefs, d)
	}
	if p.tok.kind == tokenEnd {
		q.term = &term{}
		return q, ""
	}
	body := p.pipe()
	if p.tok.kind != tokenEnd {
		p.unexpected("$end")
	}
	if q != nil {
		body.funcDefs = append(q.funcDefs, body.funcDefs...)
	}
	return body, ""
}

// unexpected ends parsing at the current token.
func (p *parser) unexpected(expected ...string) {
	name, at := p.tok.grammarName(), p.tok.start
	if p.tok.kind == tokenEnd {
		at = lastToken(p.source)
	}
	if c := p.tok.text; len(p.open) == 0 && (c == "}" || c == "]" || c == ")") {
		name = "INVALID_CHARACTER"
	}
	message := "syntax error, unexpected " + name
	if len(expected) > 0 {
		message += ", expecting " + strings.Join(expected, " or ")
	}
	panic(&syntaxError{message + " (Unix shell quoting issues?)", at})
}

// lastToken is where the last token of a program begins, or the white space behind it.
func lastToken(program string) int {
	if program == "" {
		return 0
	}
	class := func(c byte) int {
		switch {
		case c == ' ' || c == '\t' || c == '\n':
			return 1
		case isLetter(c) || isDigit(c):
			return 2
		}
		return 0
	}
	at := len(program) - 1
	for k := class(program[at]); k != 0 && at > 0 && class(program[at-1]) == k; {
		at--
	}
	return at
}

//go:noinline
func (p *parser) is(text string) bool {
	return p.tok.text == text && (p.tok.kind == tokenOperator || p.tok.kind == tokenWord)
}

func (p *parser) take(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) {
	if !p.take(text) {
		p.unexpected()
	}
}

// enter counts a bracket, and leave its end.
func (p *parser) enter(bracket byte) {
	p.open = append(p.open, bracket)
	p.next()
}

func (p *parser) leave(bracket string, expected ...string) {
	if !p.is(bracket) {
		p.unexpected(expected...)
	}
	p.open = p.open[:len(p.open)-1]
	p.next()
}

func (p *parser) deeper() {
	if p.depth++; p.depth > maxNesting {
		panic(&syntaxError{"program is nested too deep", 0})
	}
}

// pipe parses what "|" joins, which is all there can be.
func (p *parser) pipe() *query {
	p.deeper()
	defer func() { p.depth-- }()
	if p.is("def") {
		d := p.definition()
		q := p.pipe()
		q.funcDefs = append([]*funcDef{d}, q.funcDefs...)
		return q
	}
	q := p.binary(1)
	if p.take("|") {
		return &query{left: q, op: "|", right: p.pipe()}
	}
	return q
}

func (p *parser) definition() *funcDef {
	p.expect("def")
	d := &funcDef{name: p.word()}
	if p.is("(") {
		p.enter('(')
		for {
			if p.tok.kind == tokenVariable {
				d.params = append(d.params, p.tok.text)
				p.next()
			} else {
				d.params = append(d.params, p.word())
			}
			if !p.take(";") {
				break
			}
		}
		p.leave(")")
	}
	p.expect(":")
	d.body = p.pipe()
	p.expect(";")
	return d
}

func (p *parser) word() string {
	if p.tok.kind != tokenWord {
		p.unexpected()
	}
	word := p.tok.text
	p.next()
	return word
}

// How operators bind; those of rank nonassociative can't follow each other.
const (
	leftToRight = iota
	rightToLeft
	nonassociative
)

type binding struct{ rank, order int }

var bindings = sync.OnceValue(func() map[string]binding { // not whenever the box starts
	return map[string]binding{
		",": {1, leftToRight}, "//": {2, rightToLeft},
		"=": {3, nonassociative}, "|=": {3, nonassociative}, "+=": {3, nonassociative}, "-=": {3, nonassociative}, "*=": {3, nonassociative},
		"/=": {3, nonassociative}, "%=": {3, nonassociative}, "//=": {3, nonassociative},
		"or": {4, leftToRight}, "and": {5, leftToRight},
		"==": {6, nonassociative}, "!=": {6, nonassociative}, "<": {6, nonassociative}, "<=": {6, nonassociative}, ">": {6, nonassociative}, ">=": {6, nonassociative},
		"+": {7, leftToRight}, "-": {7, leftToRight}, "*": {8, leftToRight}, "/": {8, leftToRight}, "%": {8, leftToRight},
	}
})

// binary parses operators of at least a rank.
func (p *parser) binary(rank int) *query {
	p.deeper()
	defer func() { p.depth-- }()
	left := p.operand()
	for {
		b, ok := bindings()[p.tok.text]
		if !ok || b.rank < rank || p.tok.kind != tokenOperator && p.tok.kind != tokenWord {
			return left
		}
		op := p.tok.text
		p.next()
		above := b.rank + 1
		if b.order == rightToLeft {
			above = b.rank
		}
		left = &query{left: left, op: op, right: p.binary(above)}
		if again, ok := bindings()[p.tok.text]; ok && b.order == nonassociative && again.rank == b.rank {
			p.unexpected()
		}
	}
}

// operand parses a term, or what begins with one and goes on to the end: a binding, a label, a
// definition.
func (p *parser) operand() *query {
	switch {
	case p.is("def"):
		return p.pipe()
	case p.is("label"):
		p.next()
		if p.tok.kind != tokenVariable {
			p.unexpected("'$'")
		}
		t := &term{kind: termLabel, name: p.tok.text}
		p.next()
		p.expect("|")
		t.query = p.pipe()
		return &query{term: t}
	}
	t := p.postfix()
	if !p.take("as") {
		return &query{term: t}
	}
	patterns := p.patterns()
	p.expect("|")
	return &query{left: &query{term: t}, patterns: patterns, right: p.pipe()}
}
