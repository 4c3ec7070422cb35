package awk

import (
	"fmt"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// maxDepth bounds nesting, so that no program exhausts the stack while it is parsed.
const maxDepth = 1000

// A parser reads tokens with one of lookahead.
type parser struct {
	lexer
	tok      token
	prog     *program
	funcs    map[string]*function
	locals   map[string]*variable // of the function being parsed
	inFunc   bool
	inAction bool // not in BEGIN, END
	loops    int
	depth    int
	open     int // braces
	noIn     int // "in" is no operator: the beginning of a for
	noGreat  int // ">" is no operator: the arguments of print
}

// abort unwinds the parser; parse recovers it.
type abort struct{ err error }

func parse(src string) (prog *program, err error) {
	p := &parser{lexer: lexer{src: src, line: 1}, funcs: map[string]*function{}}
	p.prog = &program{names: map[string]*variable{}}
	defer func() {
		if r := recover(); r != nil {
			a, ok := r.(abort)
			if !ok {
				panic(r)
			}
			prog, err = nil, a.err
		}
	}()
	for name, s := range specials {
		p.global(name).special = s
	}
	p.advance()
	p.items()
	p.resolve()
	p.prog.skipper = newSkipper(p.prog.rules)
	return p.prog, nil
}

var specials = map[string]special{
	"NF": varNF, "NR": varNR, "FNR": varFNR, "FS": varFS, "OFS": varOFS, "RS": varRS, "ORS": varORS, "SUBSEP": varSUBSEP,
	"CONVFMT": varCONVFMT, "OFMT": varOFMT, "RSTART": varRSTART, "RLENGTH": varRLENGTH, "FILENAME": varFILENAME,
	"ENVIRON": varENVIRON, "ARGC": varARGC, "ARGV": varARGV,
}

func (p *parser) fail(line int, format string, a ...any) {
	panic(abort{&syntaxError{line: line, msg: fmt.Sprintf(format, a...)}})
}

// extra complains about a closing bracket too many, and then about what follows it.
func (p *parser) extra() {
	e := &syntaxError{line: p.tok.line, msg: "extra '" + p.tok.text + "'"}
	defer func() {
		a, _ := recover().(abort)
		e.next, _ = a.err.(*syntaxError)
		panic(abort{e})
	}()
	p.advance()
	if p.tok.kind == tokEOF {
		p.fail(p.tok.line, "syntax error at or near end of line")
	}
	p.unexpected()
}

// unexpected complains about the current token.
func (p *parser) unexpected() {
	if p.is(")") || p.is("]") {
		p.extra()
	}
	switch p.tok.kind {
	case tokEOF:
		if p.open > 0 {
			p.fail(p.line+1, "missing } near end of file")
		}
		p.fail(p.tok.line+1, "syntax error at or near end of file")
	case tokNewline:
		p.fail(p.tok.line, "syntax error at or near end of line")
	case tokRegex:
		p.fail(p.tok.line, "syntax error at or near /%s/", p.tok.text)
	case tokString:
		p.fail(p.tok.line, "syntax error at or near \"%s\"", p.tok.text)
	}
	p.fail(p.tok.line, "syntax error at or near %s", p.tok.text)
}

func (p *parser) advance() {
	t, err := p.next()
	if err != nil {
		panic(abort{err})
	}
	p.tok = t
}

func (p *parser) is(op string) bool { return p.tok.kind == tokOp && p.tok.text == op }

func (p *parser) accept(op string) bool {
	if !p.is(op) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(op string) {
	if !p.accept(op) {
		if op == ")" && (p.tok.kind == tokNewline || p.tok.kind == tokEOF) {
			e := &syntaxError{line: p.tok.line, msg: "missing ) near end of line"}
			if p.tok.kind == tokEOF && p.open > 0 {
				e.next = &syntaxError{line: p.line + 1, msg: "missing } near end of file"}
			}
			panic(abort{e})
		}
		if op == ")" {
			p.fail(p.tok.line, "missing ) near %s", p.tok.text)
		}
		p.unexpected()
	}
}

func (p *parser) newlines() {
	for p.tok.kind == tokNewline {
		p.advance()
	}
}

func (p *parser) ends() {
	for p.tok.kind == tokNewline || p.is(";") {
		p.advance()
	}
}

// items parses rules and functions to the end.
func (p *parser) items() {
	p.ends()
	for p.tok.kind != tokEOF {
		switch {
		case p.is("function"):
			p.function()
		case p.is("BEGIN"), p.is("END"):
			begin := p.is("BEGIN")
			p.advance()
			if !p.is("{") {
				p.unexpected()
			}
			b := &block{body: p.braces()}
			if begin {
				p.prog.begin = append(p.prog.begin, b)
			} else {
				p.prog.end = append(p.prog.end, b)
			}
		default:
			p.rule()
		}
		p.ends()
	}
}

func (p *parser) rule() {
	r := &rule{}
	if p.is("}") {
		p.extra()
	}
	if !p.is("{") {
		r.pattern = asCondition(p.expr())
		if p.accept(",") {
			p.newlines()
			r.until = asCondition(p.expr())
		}
	}
	p.inAction = true
	if p.is("{") {
		r.body = p.braces()
	} else {
		r.print = true
		if p.tok.kind != tokNewline && p.tok.kind != tokEOF && !p.is(";") {
			p.unexpected()
		}
	}
	p.inAction = false
	p.prog.rules = append(p.prog.rules, r)
}

func (p *parser) function() {
	p.advance()
	if p.tok.kind != tokName && p.tok.kind != tokFunc {
		p.unexpected()
	}
	fn := p.funcNamed(p.tok.text)
	if fn.known {
		p.unexpected()
	}
	fn.known = true
	p.advance()
	p.expect("(")
	p.locals = map[string]*variable{}
	for !p.is(")") {
		if p.tok.kind != tokName || p.locals[p.tok.text] != nil || p.tok.text == fn.name || specials[p.tok.text] != 0 {
			p.unexpected()
		}
		v := &variable{name: p.tok.text, local: true, place: len(fn.params)}
		p.locals[v.name] = v
		fn.params = append(fn.params, v)
		p.advance()
		if !p.is(")") {
			p.expect(",")
			p.newlines()
		}
	}
	p.expect(")")
	p.newlines()
	p.inFunc, p.inAction = true, true
	if !p.is("{") {
		p.unexpected()
	}
	fn.body = p.braces()
	p.inFunc, p.inAction = false, false
	p.locals = nil
}

func (p *parser) funcNamed(name string) *function {
	fn := p.funcs[name]
	if fn == nil {
		fn = &function{name: name, line: p.tok.line}
		p.funcs[name] = fn
		p.prog.funcs = append(p.prog.funcs, fn)
	}
	return fn
}

// deeper guards against programs that nest too deeply.
func (p *parser) deeper() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tok.line, "program is too large")
	}
}

// braces parses { statements }.
func (p *parser) braces() []stmt {
	p.deeper()
	p.expect("{")
	p.open++
	var list []stmt
	p.ends()
	for !p.is("}") {
		if p.tok.kind == tokEOF {
			p.fail(p.line+1, "missing } near end of file")
		}
		list = append(list, p.stmt()...)
		p.ends()
	}
	p.depth--
	p.open--
	p.advance()
	return list
}

// body parses the statement of if, while and so on; "{" or one on the next line, or nothing but
// ";".
func (p *parser) body() []stmt {
	p.newlines()
	if p.accept(";") {
		return nil
	}
	return p.stmt()
}

// endStmt wants what may end a simple statement.
func (p *parser) endStmt() {
	switch {
	case p.tok.kind == tokNewline, p.is(";"):
		p.advance()
	case p.is("}"), p.tok.kind == tokEOF:
	default:
		p.unexpected()
	}
}

func (p *parser) stmt() []stmt {
	p.deeper()
	defer func() { p.depth-- }()
	switch {
	case p.is("{"):
		return p.braces()
	case p.is("if"):
		return []stmt{p.ifStmt()}
	case p.is("while"):
		p.advance()
		p.expect("(")
		s := &loopStmt{test: asCondition(p.expr())}
		p.expect(")")
		p.loops++
		s.body = p.body()
		p.loops--
		return []stmt{s}
	case p.is("do"):
		p.advance()
		s := &loopStmt{first: true}
		p.loops++
		s.body = p.body()
		p.loops--
		p.ends()
		p.expect("while")
		p.expect("(")
		s.test = asCondition(p.expr())
		p.expect(")")
		p.endStmt()
		return []stmt{s}
	case p.is("for"):
		return []stmt{p.forStmt()}
	case p.is(";"):
		p.advance()
		return nil
	}
	s := p.simple()
	p.endStmt()
	return []stmt{s}
}

func (p *parser) ifStmt() stmt {
	p.advance()
	p.expect("(")
	s := &ifStmt{test: asCondition(p.expr())}
	p.expect(")")
	s.yes = p.body()
	// An else may follow newlines and a semicolon; what was skipped is only separators.
	p.ends()
	if p.accept("else") {
		s.no = p.body()
	}
	return s
}

func (p *parser) forStmt() stmt {
	p.advance()
	p.expect("(")
	if p.tok.kind == tokName {
		// for (k in a) looks like an expression up to its ")".
		p.noIn++
		first := p.expr()
		p.noIn--
		if v, ok := first.(*variable); ok && p.is("in") {
			p.advance()
			if p.tok.kind != tokName {
				p.unexpected()
			}
			arr := p.name(p.tok.text)
			p.advance()
			if p.is(")") {
				p.advance()
				p.loops++
				s := &forInStmt{v: v, arr: p.asArray(arr), body: p.body()}
				p.loops--
				return s
			}
			first = &inExpr{subs: []expr{v}, arr: p.asArray(arr)}
		}
		return p.forRest(newExprStmt(first))
	}
	if p.is(";") {
		return p.forRest(nil)
	}
	return p.forRest(p.simple())
}

func (p *parser) forRest(init stmt) stmt {
	s := &loopStmt{init: init}
	p.expect(";")
	p.newlines()
	if !p.is(";") {
		s.test = asCondition(p.expr())
	}
	p.expect(";")
	p.newlines()
	if !p.is(")") {
		s.step = p.simple()
	}
	p.expect(")")
	p.loops++
	s.body = p.body()
	p.loops--
	return s
}

func (p *parser) simple() stmt {
	line := p.tok.line
	switch {
	case p.is("print"), p.is("printf"):
		return p.print()
	case p.is("delete"):
		p.advance()
		if p.tok.kind != tokName {
			p.unexpected()
		}
		s := &deleteStmt{arr: p.asArray(p.name(p.tok.text))}
		p.advance()
		if p.accept("[") {
			s.subs = p.list("]")
			p.expect("]")
		}
		return s
	case p.is("break"), p.is("continue"):
		s := &jumpStmt{kind: jumpBreak}
		if p.is("continue") {
			s.kind = jumpContinue
		}
		if p.loops == 0 {
			p.fail(line, "%s statement outside of loop", p.tok.text)
		}
		p.advance()
		return s
	case p.is("next"), p.is("nextfile"):
		s := &jumpStmt{kind: jumpNext}
		if p.is("nextfile") {
			s.kind = jumpNextFile
		}
		if !p.inAction {
			p.fail(line, "improper use of next")
		}
		p.advance()
		return s
	case p.is("exit"), p.is("return"):
		s := &jumpStmt{kind: jumpExit}
		if p.is("return") {
			s.kind = jumpReturn
			if !p.inFunc {
				p.fail(line, "return outside function body")
			}
		}
		p.advance()
		if p.tok.kind != tokNewline && p.tok.kind != tokEOF && !p.is(";") && !p.is("}") {
			s.x = p.expr()
		}
		return s
	}
	return newExprStmt(p.expr())
}

func (p *parser) print() stmt {
	s := &printStmt{format: p.is("printf")}
	p.advance()
	p.noGreat++
	if p.tok.kind != tokNewline && p.tok.kind != tokEOF && !p.is(";") && !p.is("}") && !p.is(">") && !p.is(">>") && !p.is("|") {
		s.args = p.exprs()
		if len(s.args) == 1 {
			if t, ok := s.args[0].(*tuple); ok {
				s.args = t.list
			}
		}
	}
	p.noGreat--
	if s.format && len(s.args) == 0 {
		p.unexpected()
	}
	if p.is(">") || p.is(">>") || p.is("|") {
		s.op = p.tok.text
		p.advance()
		p.noGreat++
		s.to = p.concat(p.additive())
		p.noGreat--
	}
	return s
}

// exprs parses expressions with commas between them.
func (p *parser) exprs() []expr {
	list := []expr{p.expr()}
	for p.accept(",") {
		p.newlines()
		list = append(list, p.expr())
	}
	return list
}

// list is exprs inside brackets, where ">" and "in" are operators; it may be empty.
func (p *parser) list(end string) []expr {
	great, in := p.noGreat, p.noIn
	p.noGreat, p.noIn = 0, 0
	defer func() { p.noGreat, p.noIn = great, in }()
	p.newlines()
	if p.is(end) {
		return nil
	}
	l := p.exprs()
	p.newlines()
	return l
}

// compile compiles a regular expression as it stands between slashes.
func (p *parser) compile(src string) *regex.Regexp {
	re, err := compileRegex(src)
	if err != nil {
		p.fail(p.tok.line, "regular expression compile failed (%v)\n%s", err, src)
	}
	return re
}

func newExprStmt(x expr) stmt {
	if isNumber(x) {
		return &numberStmt{asNumeric(x)}
	}
	return &exprStmt{x}
}
