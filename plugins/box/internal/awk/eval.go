package awk

import (
	"math"
	"strings"
)

// eval evaluates an expression.
func (in *interp) eval(e expr) value {
	switch e := e.(type) {
	case *constant:
		return e.val
	case *variable:
		return in.get(e)
	case *fieldExpr:
		return in.record.get(in.fieldIndex(e))
	case *indexExpr:
		return in.array(e.arr).at(in.subscript(e.subs)).val
	case *assign:
		return in.assign(e)
	case *incDec:
		old := in.eval(e.to).num()
		in.store(e.to, num(old+e.by))
		if e.postfix {
			return num(old)
		}
		return num(old + e.by)
	case *group:
		return in.eval(e.x)
	case *binary:
		return in.binary(e)
	case *unary:
		switch e.op {
		case "!":
			return boolean(!in.eval(e.x).truth())
		case "-":
			return num(-in.eval(e.x).num())
		}
		return num(in.eval(e.x).num())
	case *concat:
		return in.concat(e)
	case *cond:
		if in.eval(e.test).truth() {
			return in.eval(e.yes)
		}
		return in.eval(e.no)
	case *regexLit:
		ok, err := e.re.Match([]byte(in.str(in.record.get(0))))
		if err != nil {
			in.fail("%v", err)
		}
		return boolean(ok)
	case *match:
		x := in.str(in.eval(e.x))
		ok, err := in.regexp(e.r).Match([]byte(x))
		if err != nil {
			in.fail("%v", err)
		}
		return boolean(ok != e.not)
	case *inExpr:
		_, ok := in.array(e.arr).byKey[in.subscript(e.subs)]
		return boolean(ok)
	case *call:
		return in.call(e)
	case *builtin:
		return in.builtin(e)
	case *getline:
		return in.getline(e)
	case *tuple:
		return str(in.subscript(e.list))
	}
	return value{}
}

// maxText bounds strings, in bytes.
const maxText = 256 << 20

func (in *interp) concat(e *concat) value {
	if len(e.parts) == 2 {
		l := in.str(in.eval(e.parts[0]))
		r := in.str(in.eval(e.parts[1]))
		if len(l)+len(r) > maxText {
			in.fail("out of memory")
		}
		return str(l + r)
	}
	parts := make([]string, len(e.parts))
	size := 0
	for i, p := range e.parts {
		parts[i] = in.str(in.eval(p))
		size += len(parts[i])
	}
	if size > maxText {
		in.fail("out of memory")
	}
	return str(strings.Join(parts, ""))
}

func (in *interp) array(v *variable) *array { return in.cell(v).array() }

func (in *interp) subscript(subs []expr) string {
	if len(subs) == 1 {
		return in.key(in.eval(subs[0]))
	}
	parts := make([]string, len(subs))
	for i, s := range subs {
		parts[i] = in.key(in.eval(s))
	}
	return strings.Join(parts, in.subsep)
}

func (in *interp) key(v value) string { return in.str(v) }

func (in *interp) fieldIndex(e *fieldExpr) int {
	n := in.eval(e.index).num()
	switch {
	case n < 0:
		in.runtime("negative field index $%s", formatNumber(math.Trunc(n), "%.6g"))
	case n > maxFields || n != n:
		in.runtime("field index $%s is too large", formatNumber(n, "%.6g"))
	}
	return int(n)
}

// store assigns to a variable, an element or a field.
func (in *interp) store(to expr, v value) {
	switch to := to.(type) {
	case *variable:
		in.set(to, v)
	case *indexExpr:
		in.array(to.arr).at(in.subscript(to.subs)).val = v
	case *fieldExpr:
		in.record.assign(in.fieldIndex(to), v)
	}
}

func (in *interp) assign(e *assign) value {
	if e.op == "" {
		v := in.eval(e.val)
		if v.kind == unset {
			v = value{}
		}
		in.store(e.to, v)
		return v
	}
	r := in.eval(e.val).num()
	v := num(arithmetic(e.op, in.eval(e.to).num(), r))
	in.store(e.to, v)
	return v
}

func (in *interp) binary(e *binary) value {
	switch e.op {
	case "&&":
		return boolean(in.eval(e.l).truth() && in.eval(e.r).truth())
	case "||":
		return boolean(in.eval(e.l).truth() || in.eval(e.r).truth())
	}
	l := in.eval(e.l)
	r := in.eval(e.r)
	switch e.op {
	case "<", "<=", "==", "!=", ">", ">=":
		return boolean(in.compare(e.op, l, r))
	}
	return num(arithmetic(e.op, l.num(), r.num()))
}

func arithmetic(op string, l, r float64) float64 {
	switch op {
	case "+":
		return l + r
	case "-":
		return l - r
	case "*":
		return l * r
	case "/":
		return l / r
	case "%":
		return math.Mod(l, r)
	}
	return math.Pow(l, r)
}

// compare compares as numbers if both sides are or look like numbers, else as strings.
func (in *interp) compare(op string, l, r value) bool {
	l, r = l.settle(), r.settle()
	c := 0
	if l.kind == text || r.kind == text {
		c = strings.Compare(in.str(l), in.str(r))
	} else {
		x, y := l.num(), r.num()
		switch {
		case x < y:
			c = -1
		case x > y:
			c = 1
		case x != y: // not a number
			return op == "!="
		}
	}
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case "==":
		return c == 0
	case "!=":
		return c != 0
	case ">":
		return c > 0
	}
	return c >= 0
}

// maxCalls bounds recursion.
const maxCalls = 10_000

func (in *interp) call(e *call) value {
	if in.depth++; in.depth > maxCalls {
		in.fail("function call nesting too deep in %s", e.fn.name)
	}
	frame := make([]cell, len(e.fn.params))
	for i, arg := range e.args {
		v, ok := arg.(*variable)
		switch {
		case ok && (v.isArray || e.fn.params[i].isArray):
			frame[i].arr = in.array(v)
		case ok && v.local && in.frame[v.place].arr != nil:
			frame[i].arr = in.frame[v.place].arr
		default:
			frame[i].val = in.eval(arg)
		}
	}
	saved := in.frame
	in.frame, in.ret = frame, value{}
	in.block(e.fn.body)
	in.frame = saved
	in.depth--
	ret := in.ret
	in.ret = value{}
	return ret
}
