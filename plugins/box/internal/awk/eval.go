package awk

import (
	"math"
	"strings"
)

func (e *constant) eval(*interp) value { return e.val }

func (v *variable) eval(in *interp) value {
	if v.special != notSpecial {
		return in.get(v)
	}
	return in.cell(v).val
}

func (e *fieldExpr) eval(in *interp) value {
	n := e.place
	if e.index != nil {
		n = in.fieldIndex(e)
	}
	return in.record.get(n)
}

func (e *indexExpr) eval(in *interp) value { return in.element(e).val }

func (e *group) eval(in *interp) value { return e.x.eval(in) }

func (e *not) eval(in *interp) value { return boolean(e.holds(in)) }

func (e *sign) eval(in *interp) value { return num(e.number(in)) }

func (e *logical) eval(in *interp) value { return boolean(e.holds(in)) }

func (e *cond) eval(in *interp) value {
	if e.test.holds(in) {
		return e.yes.eval(in)
	}
	return e.no.eval(in)
}

func (e *regexLit) eval(in *interp) value { return boolean(e.holds(in)) }

func (e *match) eval(in *interp) value { return boolean(e.holds(in)) }

func (e *inExpr) eval(in *interp) value { return boolean(e.holds(in)) }

func (e *tuple) eval(in *interp) value { return str(in.subscript(e.list)) }

// maxText bounds strings, in bytes.
const maxText = 64 << 20

func (e *concat) eval(in *interp) value {
	base := len(in.scratch)
	first, rest := e.parts[0].eval(in), e.parts[1:]
	grows := first.kind != number && len(first.s) >= growsFrom
	length := base
	if grows {
		length -= len(first.s)
	} else {
		in.scratch = first.append(in.scratch, in.convfmt)
	}
	for _, p := range rest {
		in.scratch = p.eval(in).append(in.scratch, in.convfmt)
		if len(in.scratch)-length > maxText {
			in.fail("memory exhausted")
		}
	}
	if !grows {
		return str(in.taken(base))
	}
	s := in.growth.append(first.s, in.scratch[base:])
	in.scratch = in.scratch[:base]
	return str(s)
}

// taken returns what stands in the scratch buffer from base on, and takes it out.
func (in *interp) taken(base int) string {
	if n := len(in.scratch) - base; n > 1<<10 {
		keep(n)
	}
	s := string(in.scratch[base:])
	in.scratch = in.scratch[:base]
	return s
}

func (in *interp) array(v *variable) *array { return in.cell(v).array() }

func (in *interp) subscript(subs []expr) string {
	if len(subs) == 1 {
		return in.str(subs[0].eval(in))
	}
	base := len(in.scratch)
	for i, s := range subs {
		if i > 0 {
			in.scratch = append(in.scratch, in.subsep...)
		}
		in.scratch = s.eval(in).append(in.scratch, in.convfmt)
	}
	return in.taken(base)
}

// element returns the element that an expression names, which is made if it is missing.
func (in *interp) element(e *indexExpr) *element {
	arr := in.array(e.arr)
	if len(e.subs) > 1 {
		return arr.at(in.subscript(e.subs))
	}
	v := e.subs[0].eval(in)
	if v.kind == number {
		if el := arr.numbered(v.n); el != nil {
			return el
		}
	}
	return arr.at(in.str(v))
}

func (in *interp) fieldIndex(e *fieldExpr) int {
	if e.index == nil {
		return e.place
	}
	n := e.index.eval(in).num()
	switch {
	case n < 0:
		in.runtime("negative field index $%s", formatNumber(math.Trunc(n), "%.6g"))
	case n > maxFields || n != n:
		in.runtime("field index $%s is too large", formatNumber(n, "%.6g"))
	}
	return int(n)
}

// A place is what an lvalue means, once what it is made of has been evaluated: it can be read and
// then set.
type place struct {
	val     *value    // of an element, or of a variable without effects
	special *variable // one with effects
	field   int       // otherwise
}

func (v *variable) locate(in *interp) place {
	if v.special != notSpecial {
		return place{special: v}
	}
	return place{val: &in.cell(v).val}
}

func (e *indexExpr) locate(in *interp) place { return place{val: &in.element(e).val} }

func (e *fieldExpr) locate(in *interp) place { return place{field: in.fieldIndex(e)} }

func (in *interp) load(p place) value {
	if p.val != nil {
		return *p.val
	}
	return in.effective(p)
}

// loadNumber is load for who wants the number alone.
func (in *interp) loadNumber(p place) float64 {
	if p.val != nil {
		return p.val.number()
	}
	return in.effective(p).num()
}

// effective returns the value of a special variable or a field.
func (in *interp) effective(p place) value {
	if p.special != nil {
		return in.get(p.special)
	}
	return in.record.get(p.field)
}

func (in *interp) store(p place, v value) {
	switch {
	case p.val != nil:
		*p.val = v.kept()
	case p.special != nil:
		in.set(p.special, v)
	default:
		in.record.assign(p.field, v)
	}
}

// count stores a number, over another one without touching more than that.
func (in *interp) count(p place, n float64) {
	if p.val != nil && p.val.kind == number {
		p.val.n = n
		return
	}
	in.store(p, num(n))
}

func (e *assign) eval(in *interp) value {
	v := e.val.eval(in)
	in.store(e.to.locate(in), v)
	return v
}

func (e *update) eval(in *interp) value { return num(e.number(in)) }

func (e *incDec) eval(in *interp) value { return num(e.number(in)) }

func (e *arithmetic) eval(in *interp) value { return num(e.number(in)) }

func compute(op byte, l, r float64) float64 {
	switch op {
	case '+':
		return l + r
	case '-':
		return l - r
	case '*':
		return l * r
	case '/':
		return l / r
	case '%':
		return remainder(l, r)
	}
	return math.Pow(l, r)
}

// remainder is math.Mod, which takes its time, and faster for small whole numbers.
func remainder(l, r float64) float64 {
	const most = 1 << 53
	if n, m := int64(l), int64(r); float64(n) == l && float64(m) == r && 0 < n && n < most && 0 < m && m < most {
		return float64(n % m)
	}
	return math.Mod(l, r)
}

// A relation is a set of the ways in which two values can be to each other.
type relation byte

const (
	less relation = 1 << iota
	equal
	greater
	unordered // one of them is not a number
)

var relations = map[string]relation{
	"<": less, "<=": less | equal, "==": equal, "!=": less | greater | unordered, ">": greater, ">=": greater | equal,
}

func (e *comparison) eval(in *interp) value { return boolean(e.holds(in)) }

func (e *numberComparison) eval(in *interp) value { return boolean(e.holds(in)) }

func (e *textComparison) eval(in *interp) value { return boolean(e.holds(in)) }

// compare compares as numbers if both sides are or look like numbers, else as strings.
func (in *interp) compare(l, r value) relation {
	if l.kind != number || r.kind != number {
		if l.kind != text && r.kind != text {
			l, r = l.settle(), r.settle()
		}
		if l.kind == text || r.kind == text {
			return relation(1 << (1 + strings.Compare(in.str(l), in.str(r))))
		}
	}
	return relate(l.n, r.n)
}

func relate(x, y float64) relation {
	switch {
	case x < y:
		return less
	case x > y:
		return greater
	case x == y:
		return equal
	}
	return unordered
}

// maxCalls bounds recursion.
const maxCalls = 10_000

func (e *call) eval(in *interp) value {
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
			frame[i].val = arg.eval(in).kept()
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
