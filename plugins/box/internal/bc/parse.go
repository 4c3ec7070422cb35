package bc

import "strings"

// A node is an expression or a statement: op says which, and what name, text and kids are. A kid
// may be nil.
type node struct {
	op   string
	name string
	kids []*node
}

// A function is what define makes. A parameter's name ends in [] for an array.
type function struct {
	params, autos []string
	body          *node
	void          bool
}

// A parser parses one line of statements after the other, one token ahead.
type parser struct {
	*lexer
	functions map[string]*function
	depth     int
	loops     int
	within    *function // that is defined
}

// syntaxError ends the parsing of a line.
type syntaxError struct{ text string }

//go:noinline
func (p *parser) fail(text string) { panic(&syntaxError{text}) }

//go:noinline
func (p *parser) is(text string) bool {
	return p.tok.text == text && (p.tok.kind == tokenOp || p.tok.kind == tokenWord)
}

func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next()
	return true
}

//go:noinline
func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("syntax error")
	}
}

// maxNesting is how deep statements and expressions may be nested.
const maxNesting = 1_000

func (p *parser) deeper() {
	if p.depth++; p.depth > maxNesting {
		p.fail("nested too deep")
	}
}

// lines skips the ends of lines.
func (p *parser) lines() {
	for p.tok.kind == tokenLine {
		p.next()
	}
}

// line parses the statements of a line, up to its end, which is the current token then.
func (p *parser) line() *node {
	block := &node{op: "{"}
	for p.tok.kind != tokenLine && p.tok.kind != 0 {
		if p.accept(";") {
			continue
		}
		if p.is("define") {
			p.definition()
			continue
		}
		block.kids = append(block.kids, p.statement())
		if p.tok.kind != tokenLine && p.tok.kind != 0 && !p.is(";") {
			p.fail("syntax error")
		}
	}
	if p.tok.kind == 0 && len(block.kids) > 0 {
		p.fail("syntax error") // the line has no end
	}
	return block
}

func (p *parser) statement() *node {
	p.deeper()
	defer func() { p.depth-- }()
	word := p.tok.text
	if p.tok.kind == tokenString {
		p.next()
		return &node{op: "string", name: word}
	}
	if p.tok.kind == tokenOp && word == "{" {
		return p.block()
	}
	if p.tok.kind != tokenWord {
		return p.printed()
	}
	switch word {
	case "print":
		return p.print()
	case "if":
		return p.conditional()
	case "while":
		p.next()
		p.expect("(")
		cond := p.expression()
		p.expect(")")
		return &node{op: "for", kids: []*node{nil, cond, nil, p.loop()}}
	case "for":
		return p.forLoop()
	case "break", "continue":
		if p.loops == 0 {
			p.fail(strings.ToUpper(word[:1]) + word[1:] + " outside a for/while")
		}
		p.next()
		return &node{op: word}
	case "return":
		p.next()
		n := &node{op: word, kids: []*node{nil}}
		if p.tok.kind != tokenLine && p.tok.kind != 0 && !p.is(";") && !p.is("}") {
			n.kids[0] = p.expression()
		}
		if p.within == nil {
			p.fail("Return outside of a function.")
		}
		return n
	case "quit":
		panic(&ended{})
	case "halt", "limits", "warranty":
		p.next()
		return &node{op: word}
	}
	return p.printed()
}

// printed parses an expression whose value is shown, unless it is assigned.
func (p *parser) printed() *node {
	parenthesis := p.is("(")
	x := p.expression()
	if strings.HasSuffix(x.op, "=") && len(x.kids) == 2 && isPlace(x.kids[0]) && !parenthesis && strings.IndexByte("=!<>", x.op[0]) < 0 || x.op == "=" && !parenthesis {
		return &node{op: "do", kids: []*node{x}}
	}
	return &node{op: "show", kids: []*node{x}}
}

func (p *parser) block() *node {
	p.expect("{")
	return p.statements()
}

// statements parses what is in braces, and the closing one.
func (p *parser) statements() *node {
	block := &node{op: "{"}
	for !p.is("}") {
		if p.tok.kind == tokenLine || p.is(";") {
			p.next()
			continue
		}
		if p.tok.kind == 0 {
			p.fail("syntax error")
		}
		block.kids = append(block.kids, p.statement())
		if p.tok.kind != tokenLine && !p.is(";") && !p.is("}") {
			p.fail("syntax error")
		}
	}
	p.next()
	return block
}

func (p *parser) print() *node {
	p.next()
	n := &node{op: "print"}
	for {
		if p.tok.kind == tokenString {
			n.kids = append(n.kids, &node{op: "escaped", name: p.tok.text})
			p.next()
		} else {
			n.kids = append(n.kids, p.expression())
		}
		if !p.accept(",") {
			return n
		}
	}
}

func (p *parser) conditional() *node {
	p.next()
	p.expect("(")
	cond := p.expression()
	p.expect(")")
	p.lines()
	n := &node{op: "if", kids: []*node{cond, p.statement(), nil}}
	if p.accept("else") {
		p.lines()
		n.kids[2] = p.statement()
	}
	return n
}

func (p *parser) forLoop() *node {
	p.next()
	p.expect("(")
	var parts [3]*node
	for i, end := range []string{";", ";", ")"} {
		if !p.is(end) {
			parts[i] = p.expression()
		}
		p.expect(end)
	}
	return &node{op: "for", kids: append(parts[:], p.loop())}
}

// loop parses the body of a loop.
func (p *parser) loop() *node {
	p.loops++
	defer func() { p.loops-- }()
	p.lines()
	return p.statement()
}

// definition parses a function and makes it known.
func (p *parser) definition() {
	p.expect("define")
	f := &function{void: p.accept("void")}
	name := p.name()
	p.expect("(")
	f.params = p.names(")")
	p.expect(")")
	p.lines()
	p.expect("{")
	for p.tok.kind == tokenLine || p.is(";") {
		p.next()
	}
	if p.accept("auto") {
		f.autos = p.names(";")
		if p.tok.kind != tokenLine && !p.is(";") {
			p.fail("syntax error")
		}
	}
	loops := p.loops
	p.within, p.loops = f, 0
	defer func() { p.within, p.loops = nil, loops }()
	f.body = p.statements()
	p.functions[name] = f
}

func (p *parser) name() string {
	if p.tok.kind != tokenName {
		p.fail("syntax error")
	}
	name := p.tok.text
	p.next()
	return name
}

func (p *parser) names(end string) []string {
	var list []string
	for !p.is(end) && p.tok.kind != tokenLine {
		reference := p.accept("*")
		name := p.name()
		if p.accept("[") {
			p.expect("]")
			if name += "[]"; reference {
				name = "*" + name
			}
		}
		list = append(list, name)
		if !p.accept(",") {
			break
		}
	}
	return list
}

// levels are the operators of two operands, those that bind least first. Assignments are between
// "<" and "+".
var levels = [][]string{{"||"}, {"&&"}, {"==", "!=", "<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}}

const (
	levelNot    = 2 // "!" binds less than what compares
	levelAssign = 3
)

func (p *parser) expression() *node { return p.binary(0) }

func (p *parser) binary(level int) *node {
	p.deeper()
	defer func() { p.depth-- }()
	if level == len(levels) {
		return p.power()
	}
	if level == levelNot && p.accept("!") {
		return &node{op: "!", kids: []*node{p.binary(level)}}
	}
	left := p.binary(level + 1)
	if level == levelAssign {
		if p.tok.kind == tokenOp && isPlace(left) && (p.tok.text == "=" || len(p.tok.text) == 2 && p.tok.text[1] == '=' && strings.IndexByte("+-*/%^", p.tok.text[0]) >= 0) {
			op := p.tok.text
			p.next()
			return &node{op: op, kids: []*node{left, p.binary(level)}}
		}
	}
	for {
		op := ""
		for _, o := range levels[level] {
			if p.is(o) {
				op = o
			}
		}
		if op == "" {
			return left
		}
		p.next()
		left = &node{op: op, kids: []*node{left, p.binary(level + 1)}}
	}
}

func (p *parser) power() *node {
	base := p.unary()
	if p.accept("^") {
		return &node{op: "^", kids: []*node{base, p.binary(len(levels))}}
	}
	return base
}

func (p *parser) unary() *node {
	p.deeper()
	defer func() { p.depth-- }()
	switch {
	case p.accept("-"):
		return &node{op: "negate", kids: []*node{p.unary()}}
	case p.accept("+"):
		return p.unary()
	}
	for _, op := range []string{"++", "--"} {
		if p.accept(op) {
			x := p.unary()
			if !isPlace(x) {
				p.fail("syntax error")
			}
			return &node{op: "before" + op, kids: []*node{x}}
		}
	}
	x := p.primary()
	for _, op := range []string{"++", "--"} {
		if isPlace(x) && p.accept(op) {
			return &node{op: "after" + op, kids: []*node{x}}
		}
	}
	return x
}

// isPlace reports whether x can be assigned to.
func isPlace(x *node) bool { return x.op == "name" || x.op == "item" || x.op == "special" }

func (p *parser) primary() *node {
	text := p.tok.text
	switch p.tok.kind {
	case tokenNumber:
		p.next()
		return &node{op: "number", name: text}
	case tokenName:
		p.next()
		switch {
		case p.accept("("):
			return p.call(text)
		case p.accept("["):
			if p.accept("]") {
				return &node{op: "array", name: text}
			}
			i := p.expression()
			p.expect("]")
			return &node{op: "item", name: text, kids: []*node{i}}
		}
		return &node{op: "name", name: text}
	case tokenWord:
		switch text {
		case "scale", "length", "sqrt":
			p.next()
			if text == "scale" && !p.is("(") {
				return &node{op: "special", name: text}
			}
			p.expect("(")
			x := p.expression()
			p.expect(")")
			return &node{op: text, kids: []*node{x}}
		case "ibase", "obase", "last":
			p.next()
			return &node{op: "special", name: text}
		case "read", "random":
			p.next()
			p.expect("(")
			p.expect(")")
			return &node{op: text}
		}
	}
	if !p.accept("(") {
		p.fail("syntax error")
	}
	x := p.expression()
	p.expect(")")
	return &node{op: "()", kids: []*node{x}}
}

func (p *parser) call(name string) *node {
	n := &node{op: "call", name: name}
	for !p.is(")") {
		n.kids = append(n.kids, p.expression())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return n
}
