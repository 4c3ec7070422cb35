package awk

// global returns the global variable of a name.
func (p *parser) global(name string) *variable {
	v := p.prog.names[name]
	if v == nil {
		v = &variable{name: name, place: p.prog.globals}
		p.prog.globals++
		p.prog.names[name] = v
	}
	return v
}

// name returns the variable that a name means here.
func (p *parser) name(name string) *variable {
	if v := p.locals[name]; v != nil {
		return v
	}
	if fn := p.funcs[name]; fn != nil && fn.known {
		p.unexpected()
	}
	return p.global(name)
}

func (p *parser) asArray(v *variable) *variable {
	v.isArray = true
	return v
}

// resolve finds out which parameters and names are arrays because functions use them so, and checks
// calls.
func (p *parser) resolve() {
	for _, fn := range p.prog.funcs {
		if !fn.known {
			p.fail(p.line+1, "function %s never defined", fn.name)
		}
	}
	calls := p.calls()
	for changed := true; changed; {
		changed = false
		for _, c := range calls {
			if len(c.args) > len(c.fn.params) {
				p.fail(p.line, "too many arguments in call to %s", c.fn.name)
			}
			for i, arg := range c.args {
				v, ok := arg.(*variable)
				if !ok {
					continue
				}
				if c.fn.params[i].isArray && !v.isArray {
					v.isArray = true
					changed = true
				}
			}
		}
	}
	w := &walker{visit: func(e expr, value bool) {
		if v, ok := e.(*variable); ok && value && v.isArray {
			p.fail(p.line, "illegal reference to array %s", v.name)
		}
	}}
	w.program(p.prog)
}

// calls returns all calls of the program's own functions.
func (p *parser) calls() []*call {
	var list []*call
	w := &walker{visit: func(e expr, _ bool) {
		if c, ok := e.(*call); ok {
			list = append(list, c)
		}
	}}
	w.program(p.prog)
	return list
}

// A walker visits all expressions. value says that an expression is used for its value, so it can
// be no array.
type walker struct {
	visit func(e expr, value bool)
}

func (w *walker) program(prog *program) {
	for _, b := range prog.begin {
		w.stmts(b.body)
	}
	for _, r := range prog.rules {
		w.exprs(r.pattern, r.until)
		w.stmts(r.body)
	}
	for _, b := range prog.end {
		w.stmts(b.body)
	}
	for _, f := range prog.funcs {
		w.stmts(f.body)
	}
}

func (w *walker) stmts(list []stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *exprStmt:
			w.exprs(s.x)
		case *numberStmt:
			w.exprs(s.x)
		case *printStmt:
			w.exprs(s.args...)
			w.exprs(s.to)
		case *ifStmt:
			w.exprs(s.test)
			w.stmts(s.yes)
			w.stmts(s.no)
		case *loopStmt:
			w.stmts([]stmt{s.init, s.step})
			w.exprs(s.test)
			w.stmts(s.body)
		case *forInStmt:
			w.exprs(s.v)
			w.stmts(s.body)
		case *deleteStmt:
			w.exprs(s.subs...)
		case *jumpStmt:
			w.exprs(s.x)
		}
	}
}

func (w *walker) exprs(list ...expr) {
	for _, e := range list {
		if e != nil {
			w.expr(e, true)
		}
	}
}

func (w *walker) expr(e expr, value bool) {
	w.visit(e, value)
	switch e := e.(type) {
	case *fieldExpr:
		w.exprs(e.index)
	case *indexExpr:
		w.exprs(e.subs...)
	case *assign:
		w.exprs(e.to, e.val)
	case *update:
		w.exprs(e.to, e.val)
	case *incDec:
		w.exprs(e.to)
	case *not:
		w.exprs(e.x)
	case *sign:
		w.exprs(e.x)
	case *logical:
		w.exprs(e.l, e.r)
	case *comparison:
		w.exprs(e.l, e.r)
	case *numberComparison:
		w.exprs(e.l, e.r)
	case *textComparison:
		w.exprs(e.x)
	case *arithmetic:
		w.exprs(e.l, e.r)
	case *concat:
		w.exprs(e.parts...)
	case *cond:
		w.exprs(e.test, e.yes, e.no)
	case *match:
		w.exprs(e.x, e.r)
	case *inExpr:
		w.exprs(e.subs...)
	case *call:
		for _, a := range e.args {
			w.expr(a, false)
		}
	case *builtin:
		for i, a := range e.args {
			array := e.name == "split" && (i == 1 || i == 3) || e.name == "match" && i == 2 || e.name == "length" ||
				e.name == "asort" || e.name == "asorti"
			w.expr(a, !array)
		}
	case *substr:
		w.exprs(e.x, e.from)
		if e.length != nil {
			w.exprs(e.length)
		}
	case *getline:
		if e.to != nil {
			w.exprs(e.to)
		}
		w.exprs(e.file, e.cmd)
	case *group:
		w.exprs(e.x)
	case valueNumeric:
		w.exprs(e.expr)
	case valueCondition:
		w.exprs(e.expr)
	case *tuple:
		w.exprs(e.list...)
	}
}
