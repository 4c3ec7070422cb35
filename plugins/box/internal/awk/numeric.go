package awk

// A numeric is an expression that can be asked for its number alone. A value is four words, which
// everyone writes and reads again through whose hands it goes: that is most of what arithmetic
// costs in WebAssembly.
type numeric interface {
	expr
	number(in *interp) float64
}

// asNumeric returns e for who wants its number alone.
func asNumeric(e expr) numeric {
	if g, ok := e.(*group); ok {
		return asNumeric(g.x)
	}
	if n, ok := e.(numeric); ok {
		return n
	}
	return valueNumeric{e}
}

// A valueNumeric is an expression whose number is that of its value.
type valueNumeric struct{ expr }

func (e valueNumeric) number(in *interp) float64 { return e.eval(in).num() }

// isNumber reports whether the value of e is a number whatever the input is.
func isNumber(e expr) bool {
	switch e := e.(type) {
	case *arithmetic, *incDec, *sign, *update:
		return true
	case *constant:
		return e.val.kind == number
	case *variable:
		return e.special == varNF || e.special == varNR || e.special == varFNR
	case *builtin:
		return e.name == "length" || e.name == "int"
	case *group:
		return isNumber(e.x)
	}
	return false
}

func (e *constant) number(*interp) float64 { return e.val.num() }

func (v *variable) number(in *interp) float64 {
	switch v.special {
	case notSpecial:
		return in.cell(v).val.number()
	case varNR:
		return in.nr
	}
	return in.get(v).num()
}

func (e *fieldExpr) number(in *interp) float64 { return in.record.number(in.fieldIndex(e)) }

func (e *indexExpr) number(in *interp) float64 { return in.element(e).val.number() }

func (e *sign) number(in *interp) float64 {
	if e.minus {
		return -e.x.number(in)
	}
	return e.x.number(in)
}

func (e *arithmetic) number(in *interp) float64 {
	l := e.l.number(in)
	return compute(e.op, l, e.r.number(in))
}

func (e *update) number(in *interp) float64 {
	n := e.val.number(in)
	if v := in.counter(e.to); v != nil {
		v.n = compute(e.op, v.n, n)
		return v.n
	}
	to := e.to.locate(in)
	n = compute(e.op, in.loadNumber(to), n)
	in.count(to, n)
	return n
}

func (e *incDec) number(in *interp) float64 {
	old, with := 0.0, 0.0
	if v := in.counter(e.to); v != nil {
		old = v.n
		with = old + e.by
		v.n = with
	} else {
		to := e.to.locate(in)
		old = in.loadNumber(to)
		with = old + e.by
		in.count(to, with)
	}
	if e.postfix {
		return old
	}
	return with
}

// counter returns the value of a variable that has a number, and no effects; or nil.
func (in *interp) counter(to lvalue) *value {
	if v, ok := to.(*variable); ok && v.special == notSpecial {
		if c := in.cell(v); c.val.kind == number {
			return &c.val
		}
	}
	return nil
}

func (e *builtin) number(in *interp) float64 {
	if e.name == "length" {
		return in.length(e)
	}
	return e.eval(in).num()
}
