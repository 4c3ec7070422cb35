package awk

// A condition is an expression that can be asked whether it holds, without a value: see numeric.
type condition interface {
	expr
	holds(in *interp) bool
}

// asCondition returns e for who wants to know whether it holds.
func asCondition(e expr) condition {
	if g, ok := e.(*group); ok {
		return asCondition(g.x)
	}
	if c, ok := e.(condition); ok {
		return c
	}
	return valueCondition{e}
}

// A valueCondition is an expression that holds where its value is true.
type valueCondition struct{ expr }

func (e valueCondition) holds(in *interp) bool { return e.eval(in).truth() }

func (e *not) holds(in *interp) bool { return !e.x.holds(in) }

func (e *logical) holds(in *interp) bool {
	if e.l.holds(in) == e.or {
		return e.or
	}
	return e.r.holds(in)
}

func (e *regexLit) holds(in *interp) bool { return in.matches(e.re, in.record.string()) }

func (e *match) holds(in *interp) bool {
	s := in.str(e.x.eval(in))
	return in.matches(in.regexp(e.r), s) != e.not
}

func (e *inExpr) holds(in *interp) bool { return in.array(e.arr).has(in.subscript(e.subs)) }

func (e *comparison) holds(in *interp) bool {
	l := e.l.eval(in)
	r := e.r.eval(in)
	if l.kind == number && r.kind == number {
		return relate(l.n, r.n)&e.op != 0
	}
	return in.compare(l, r)&e.op != 0
}

func (e *numberComparison) holds(in *interp) bool {
	l := e.l.number(in)
	return relate(l, e.r.number(in))&e.op != 0
}

func (e *textComparison) holds(in *interp) bool { return in.str(e.x.eval(in)) == e.text == e.equal }

func newComparison(op relation, l, r expr) expr {
	if isNumber(l) && isNumber(r) {
		return &numberComparison{op, asNumeric(l), asNumeric(r)}
	}
	if c, ok := r.(*constant); ok && c.val.kind == text && (op == relations["=="] || op == relations["!="]) {
		return &textComparison{op == equal, l, c.val.s}
	}
	return &comparison{op, l, r}
}
