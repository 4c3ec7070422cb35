package jq

import (
	"bytes"
	"strings"
)

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
	var raw bytes.Buffer
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
