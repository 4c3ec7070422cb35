package awk

// The levels of expressions, the weakest first: POSIX.1-2017, awk, "Expressions in awk".

func (p *parser) expr() expr {
	p.deeper()
	defer func() { p.depth-- }()
	return p.assignment()
}

func (p *parser) assignment() expr {
	left := p.ternary()
	to, ok := left.(lvalue)
	if p.tok.kind != tokOp || !ok {
		return left
	}
	op := byte(0)
	switch p.tok.text {
	case "=":
	case "+=", "-=", "*=", "/=", "%=", "^=":
		op = p.tok.text[0]
	case "**=":
		op = '^'
	default:
		return left
	}
	p.advance()
	p.newlines()
	p.deeper()
	val := p.assignment()
	p.depth--
	if op == 0 {
		return &assign{to, val}
	}
	return &update{op, to, asNumeric(val)}
}

func (p *parser) ternary() expr {
	test := p.or()
	if !p.is("?") {
		return test
	}
	p.advance()
	p.newlines()
	p.deeper()
	yes := p.assignment()
	p.newlines()
	p.expect(":")
	p.newlines()
	no := p.assignment()
	p.depth--
	return &cond{asCondition(test), yes, no}
}

func (p *parser) or() expr {
	l := p.and()
	for p.accept("||") {
		p.newlines()
		l = &logical{true, asCondition(l), asCondition(p.and())}
	}
	return l
}

func (p *parser) and() expr {
	l := p.in()
	for p.accept("&&") {
		p.newlines()
		l = &logical{false, asCondition(l), asCondition(p.in())}
	}
	return l
}

func (p *parser) in() expr {
	l := p.matching()
	for p.noIn == 0 && p.is("in") {
		p.advance()
		if p.tok.kind != tokName {
			p.unexpected()
		}
		e := &inExpr{subs: []expr{l}, arr: p.asArray(p.name(p.tok.text))}
		if t, ok := l.(*tuple); ok {
			e.subs = t.list
		}
		p.advance()
		l = e
	}
	return l
}

func (p *parser) matching() expr {
	l := p.comparison()
	for p.is("~") || p.is("!~") {
		not := p.is("!~")
		p.advance()
		l = &match{not, l, p.comparison()}
	}
	return l
}

func (p *parser) comparison() expr {
	l := p.concat(p.additive())
	for {
		switch {
		case p.is("<"), p.is("<="), p.is("=="), p.is("!="), p.is(">="), p.is(">") && p.noGreat == 0:
			op := relations[p.tok.text]
			p.advance()
			l = newComparison(op, l, p.concat(p.additive()))
		case p.is("|") && p.noGreat == 0 || p.is("|") && p.pipesGetline():
			p.advance()
			p.expect("getline")
			l = &getline{cmd: l, to: p.optLvalue()}
		default:
			return l
		}
	}
}

// pipesGetline reports whether "getline" follows the "|", which otherwise belongs to print.
func (p *parser) pipesGetline() bool {
	save := p.lexer
	t, err := p.lexer.scan()
	p.lexer = save
	return err == nil && t.kind == tokOp && t.text == "getline"
}

// concat appends what follows without an operator.
func (p *parser) concat(first expr) expr {
	parts := []expr{first}
	for p.startsOperand() {
		parts = append(parts, p.additive())
	}
	if len(parts) == 1 {
		return first
	}
	return &concat{parts}
}

// startsOperand reports whether the token can begin what is concatenated.
func (p *parser) startsOperand() bool {
	switch p.tok.kind {
	case tokName, tokFunc, tokBuiltin, tokNumber, tokString, tokRegex:
		return true
	case tokOp:
		switch p.tok.text {
		case "$", "!", "(", "-", "+", "++", "--":
			return true
		}
	}
	return false
}

func (p *parser) additive() expr {
	l := p.multiplicative()
	for p.is("+") || p.is("-") {
		op := p.tok.text[0]
		p.advance()
		l = &arithmetic{op, asNumeric(l), asNumeric(p.multiplicative())}
	}
	return l
}

func (p *parser) multiplicative() expr {
	l := p.unary()
	for p.is("*") || p.is("/") || p.is("%") {
		op := p.tok.text[0]
		p.advance()
		l = &arithmetic{op, asNumeric(l), asNumeric(p.unary())}
	}
	return l
}

func (p *parser) unary() expr {
	if p.is("!") || p.is("-") || p.is("+") {
		op := p.tok.text[0]
		p.advance()
		p.deeper()
		x := p.unary()
		p.depth--
		return newUnary(op, x)
	}
	return p.power()
}

func newUnary(op byte, x expr) expr {
	if op == '!' {
		return &not{asCondition(x)}
	}
	return &sign{op == '-', asNumeric(x)}
}

func (p *parser) power() expr {
	l := p.postfix()
	if !p.is("^") && !p.is("**") {
		return l
	}
	p.advance()
	p.deeper()
	var r expr
	if p.is("-") || p.is("+") || p.is("!") {
		op := p.tok.text[0]
		p.advance()
		r = newUnary(op, p.power())
	} else {
		r = p.power()
	}
	p.depth--
	return &arithmetic{'^', asNumeric(l), asNumeric(r)}
}

func (p *parser) postfix() expr {
	x := p.primary()
	if to, ok := x.(lvalue); ok && (p.is("++") || p.is("--")) {
		by := 1.0
		if p.is("--") {
			by = -1
		}
		p.advance()
		return &incDec{to, by, true}
	}
	return x
}

// optLvalue parses the variable that getline fills, if there is one.
func (p *parser) optLvalue() lvalue {
	if p.tok.kind == tokName || p.is("$") {
		to, _ := p.primary().(lvalue)
		return to
	}
	return nil
}

func (p *parser) primary() expr {
	t := p.tok
	switch t.kind {
	case tokNumber:
		p.advance()
		return &constant{num(t.num)}
	case tokString:
		p.advance()
		return &constant{str(t.text)}
	case tokRegex:
		p.advance()
		return &regexLit{p.compile(t.text)}
	case tokName:
		v := p.name(t.text)
		p.advance()
		if p.accept("[") {
			subs := p.list("]")
			p.expect("]")
			if len(subs) == 0 {
				p.unexpected()
			}
			return &indexExpr{p.asArray(v), subs}
		}
		return v
	case tokFunc:
		fn := p.funcNamed(t.text)
		p.advance()
		p.expect("(")
		args := p.list(")")
		p.expect(")")
		return &call{fn, args}
	case tokBuiltin:
		return p.builtin()
	case tokOp:
		switch t.text {
		case "$":
			p.advance()
			p.deeper()
			var x expr
			switch {
			case p.is("++"), p.is("--"):
				x = p.primary()
			case p.is("-"), p.is("+"), p.is("!"):
				op := p.tok.text[0]
				p.advance()
				x = newUnary(op, p.primary())
			default:
				x = p.primary()
			}
			p.depth--
			if c, ok := x.(*constant); ok && c.val.kind == number && 0 <= c.val.n && c.val.n <= maxFields {
				return &fieldExpr{place: int(c.val.n)}
			}
			return &fieldExpr{index: x}
		case "++", "--":
			p.advance()
			by := 1.0
			if t.text == "--" {
				by = -1
			}
			to, ok := p.primary().(lvalue)
			if !ok {
				p.unexpected()
			}
			return &incDec{to, by, false}
		case "(":
			p.advance()
			list := p.list(")")
			p.expect(")")
			switch {
			case len(list) == 0:
				p.unexpected()
			case len(list) > 1:
				if !p.is("in") && p.noGreat == 0 {
					p.unexpected()
				}
				return &tuple{list}
			}
			return &group{list[0]}
		case "getline":
			p.advance()
			g := &getline{to: p.optLvalue()}
			if p.accept("<") {
				g.file = p.postfix()
			}
			return g
		}
	}
	p.unexpected()
	return nil
}

// arity is how many arguments a built-in function takes.
var arity = map[string][2]int{
	"atan2": {2, 2}, "close": {1, 2}, "cos": {1, 1}, "exp": {1, 1}, "fflush": {0, 1}, "gensub": {3, 4}, "gsub": {2, 3}, "index": {2, 2},
	"int": {1, 1}, "length": {0, 1}, "log": {1, 1}, "match": {2, 3}, "mktime": {1, 1}, "rand": {0, 0}, "sin": {1, 1},
	"split": {2, 4}, "sprintf": {1, 1 << 20}, "sqrt": {1, 1}, "srand": {0, 1}, "strftime": {0, 3}, "sub": {2, 3},
	"substr": {2, 3}, "system": {1, 1}, "systime": {0, 0}, "tolower": {1, 1}, "toupper": {1, 1}, "and": {2, 1 << 20},
	"or": {2, 1 << 20}, "xor": {2, 1 << 20}, "lshift": {2, 2}, "rshift": {2, 2}, "compl": {1, 1}, "strtonum": {1, 1},
	"asort": {1, 2}, "asorti": {1, 2},
}

func (p *parser) builtin() expr {
	b := &builtin{name: p.tok.text, line: p.tok.line}
	p.advance()
	if p.accept("(") {
		b.args = p.list(")")
		p.expect(")")
	} else if b.name != "length" {
		p.unexpected()
	}
	n := arity[b.name]
	if len(b.args) < n[0] || len(b.args) > n[1] {
		p.fail(b.line, "wrong number of arguments in call to %s", b.name)
	}
	arrayArg := func(i int) {
		if len(b.args) <= i {
			return
		}
		v, ok := b.args[i].(*variable)
		if !ok {
			p.fail(b.line, "type error in arg(%d) in call to %s", i+1, b.name)
		}
		p.asArray(v)
	}
	b.call = caller(b.name)
	switch b.name {
	case "substr":
		s := &substr{x: b.args[0], from: asNumeric(b.args[1])}
		if len(b.args) == 3 {
			s.length = asNumeric(b.args[2])
		}
		return s
	case "split":
		arrayArg(1)
		arrayArg(3)
	case "asort", "asorti":
		arrayArg(0)
		arrayArg(1)
	case "match":
		arrayArg(2)
	case "sub", "gsub":
		if len(b.args) == 3 {
			if g, ok := b.args[2].(*group); ok {
				b.args[2] = g.x
			}
		}
	}
	return b
}
