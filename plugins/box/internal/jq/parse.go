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

// operand parses a term, or what begins with one and goes on to the end: a binding, a label, a definition.
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

// postfix parses a term with its suffixes.
func (p *parser) postfix() *term {
	p.deeper()
	defer func() { p.depth-- }()
	if p.take("-") {
		return &term{kind: termMinus, operand: p.postfix()}
	}
	t := p.primary()
	for {
		switch {
		case p.take("?"):
			t.suffixes = append(t.suffixes, suffix{optional: true})
		case p.tok.kind == tokenField:
			t.suffixes = append(t.suffixes, suffix{index: p.field()})
		case p.is("["):
			t.suffixes = append(t.suffixes, p.bracket())
		case p.is("."):
			p.next()
			switch {
			case p.tok.kind == tokenQuote:
				t.suffixes = append(t.suffixes, suffix{index: &indexTerm{str: p.string()}})
			case p.is("["):
				t.suffixes = append(t.suffixes, p.bracket())
			default:
				p.unexpected("FORMAT", "QQSTRING_START")
			}
		default:
			return t
		}
	}
}

func (p *parser) field() *indexTerm {
	i := &indexTerm{name: p.tok.text[1:]}
	p.next()
	return i
}

// bracket parses [], [index] or [start:end].
func (p *parser) bracket() suffix {
	p.enter('[')
	if p.is("]") {
		p.leave("]")
		return suffix{iterate: true}
	}
	i := &indexTerm{}
	if !p.is(":") {
		i.start = p.pipe()
	}
	if p.take(":") {
		i.slice = true
		if !p.is("]") {
			i.end = p.pipe()
		}
	}
	p.leave("]")
	return suffix{index: i}
}

func (p *parser) primary() *term {
	switch p.tok.kind {
	case tokenField:
		return &term{kind: termIndex, index: p.field()}
	case tokenNumber:
		t := &term{kind: termNumber, number: p.tok.text}
		p.next()
		return t
	case tokenQuote:
		return &term{kind: termString, str: p.string()}
	case tokenFormat:
		t := &term{kind: termFormat, format: p.tok.text}
		if p.next(); p.tok.kind == tokenQuote {
			t.str = p.string()
		}
		return t
	case tokenVariable:
		t := &term{kind: termCall, call: &call{name: p.tok.text}}
		p.next()
		return t
	case tokenWord:
		return p.keyword()
	}
	switch p.tok.text {
	case ".":
		if p.next(); p.tok.kind == tokenQuote {
			return &term{kind: termIndex, index: &indexTerm{str: p.string()}}
		}
		return &term{kind: termIdentity}
	case "..":
		p.next()
		return &term{kind: termRecurse}
	case "(":
		p.enter('(')
		t := &term{kind: termQuery, query: p.pipe()}
		p.leave(")")
		return t
	case "[":
		p.enter('[')
		t := &term{kind: termArray}
		if !p.is("]") {
			t.query = p.pipe()
		}
		p.leave("]")
		return t
	case "{":
		return p.object()
	}
	if p.tok.start == 0 && p.tok.kind != tokenEnd {
		p.unexpected("$end") // an empty program would do
	}
	p.unexpected()
	return nil
}

// keyword parses what begins with a word.
func (p *parser) keyword() *term {
	word := p.tok.text
	switch word {
	case "if":
		p.next()
		return &term{kind: termIf, cond: p.conditional()}
	case "try":
		p.next()
		t := &term{kind: termTry, body: p.postfix()}
		if p.take("catch") {
			t.catch = p.postfix()
		}
		return t
	case "reduce", "foreach":
		return p.fold()
	case "null", "true", "false":
		p.next()
		return &term{kind: map[string]termKind{"null": termNull, "true": termTrue, "false": termFalse}[word]}
	case "break":
		p.next()
		if p.tok.kind != tokenVariable {
			p.unexpected("'$'")
		}
		t := &term{kind: termBreak, name: p.tok.text}
		p.next()
		return t
	case "import", "include":
		panic(&syntaxError{"there are no modules here", p.tok.start})
	}
	if isKeyword(word) {
		p.unexpected()
	}
	p.next()
	c := &call{name: word}
	if p.is("(") {
		p.enter('(')
		for {
			c.args = append(c.args, p.pipe())
			if !p.take(";") {
				break
			}
		}
		p.leave(")")
	}
	return &term{kind: termCall, call: c}
}

// conditional parses what follows "if" or "elif".
func (p *parser) conditional() *conditional {
	p.deeper()
	defer func() { p.depth-- }()
	c := &conditional{cond: p.pipe()}
	p.expect("then")
	c.then = p.pipe()
	switch {
	case p.take("elif"):
		c.otherwise = &query{term: &term{kind: termIf, cond: p.conditional()}}
		return c
	case p.take("else"):
		c.otherwise = p.pipe()
	}
	p.expect("end")
	return c
}

func (p *parser) fold() *term {
	t := &term{kind: termReduce}
	if p.tok.text == "foreach" {
		t.kind = termForeach
	}
	p.next()
	f := &fold{source: p.postfix()}
	p.expect("as")
	f.patterns = p.patterns()
	if !p.is("(") {
		p.unexpected()
	}
	p.enter('(')
	f.start = p.pipe()
	p.expect(";")
	f.update = p.pipe()
	if t.kind == termForeach && p.take(";") {
		f.extract = p.pipe()
	}
	p.leave(")")
	t.fold = f
	return t
}

// string parses a string behind its first quotation mark, and what is computed within it.
func (p *parser) string() *stringTerm {
	s := &stringTerm{}
	var raw strings.Builder
	flush := func() {
		text, message := unescape(raw.String())
		if message != "" {
			panic(&syntaxError{message + " at line 1, column 0 (while parsing '\"" + raw.String() + "\"')", p.tok.start})
		}
		s.text = text
		if text != "" {
			s.parts = append(s.parts, stringPart{text: text})
		}
		raw.Reset()
	}
	computed := false
	for {
		if p.pos >= len(p.source) {
			p.tok = token{start: len(p.source)}
			p.unexpected("QQSTRING_TEXT", "QQSTRING_INTERP_START", "QQSTRING_END")
		}
		c := p.source[p.pos]
		p.pos++
		switch {
		case c == '"':
			flush()
			if !computed {
				s.parts = nil
			}
			p.next()
			return s
		case c == '\\' && strings.HasPrefix(p.source[p.pos:], "("):
			flush()
			computed = true
			p.pos++
			p.open = append(p.open, '(')
			p.next()
			q := p.pipe()
			if !p.is(")") {
				p.unexpected()
			}
			p.open = p.open[:len(p.open)-1]
			s.parts = append(s.parts, stringPart{query: q})
		case c == '\\' && p.pos < len(p.source):
			raw.WriteByte(c)
			raw.WriteByte(p.source[p.pos])
			p.pos++
		case c < ' ': // as it is, which JSON would not allow
			escape(&raw, rune(c))
		default:
			raw.WriteByte(c)
		}
	}
}

func (p *parser) object() *term {
	t := &term{kind: termObject}
	p.enter('{')
	for !p.is("}") {
		f := &objectField{}
		needsValue := false
		switch p.tok.kind {
		case tokenWord, tokenVariable:
			f.name = p.tok.text
			p.next()
		case tokenQuote:
			f.str = p.string()
		case tokenFormat:
			f.query = &query{term: p.primary()}
		default:
			if !p.is("(") {
				p.unexpected()
			}
			p.enter('(')
			f.query, needsValue = p.pipe(), true
			p.leave(")")
		}
		if p.take(":") {
			f.val = p.objectValue()
		} else if needsValue {
			p.unexpected("':'")
		}
		t.object = append(t.object, f)
		if !p.take(",") {
			break
		}
	}
	p.leave("}", "'}'")
	return t
}

// objectValue parses a value, which ends at a comma.
func (p *parser) objectValue() *query {
	q := p.binary(2)
	for p.take("|") {
		q = &query{left: q, op: "|", right: p.binary(2)}
	}
	return q
}

// patterns parses alternatives with "?//" between.
func (p *parser) patterns() []*pattern {
	list := []*pattern{p.pattern()}
	for p.take("?//") {
		list = append(list, p.pattern())
	}
	return list
}

func (p *parser) pattern() *pattern {
	p.deeper()
	defer func() { p.depth-- }()
	out := &pattern{}
	switch {
	case p.tok.kind == tokenVariable:
		out.name = p.tok.text
		p.next()
	case p.is("["):
		p.enter('[')
		for {
			out.array = append(out.array, p.pattern())
			if !p.take(",") {
				break
			}
		}
		p.leave("]", "','", "']'")
	case p.is("{"):
		p.enter('{')
		for {
			out.object = append(out.object, p.patternField())
			if !p.take(",") {
				break
			}
		}
		p.leave("}", "','", "'}'")
	default:
		p.unexpected("'$'", "'['", "'{'")
	}
	return out
}

func (p *parser) patternField() *patternField {
	f := &patternField{}
	switch {
	case p.tok.kind == tokenVariable:
		f.name = p.tok.text
		if p.next(); !p.is(":") {
			return f
		}
	case p.tok.kind == tokenWord:
		f.name = p.word()
	case p.tok.kind == tokenQuote:
		f.str = p.string()
	case p.is("("):
		p.enter('(')
		f.query = p.pipe()
		p.leave(")")
	default:
		p.unexpected()
	}
	p.expect(":")
	f.val = p.pattern()
	return f
}
