package bc

import (
	"maps"
	"math/big"
	"strings"
)

// maxDimension bounds the indices of arrays.
const maxDimension = 16777215

// runtimeError ends what a line does.
type runtimeError struct{ text string }

//go:noinline
func (b *bc) fail(text string) { panic(&runtimeError{text}) }

// step counts something done, so that what never ends does.
func (b *bc) step() {
	if b.steps++; b.steps&0xfff == 0 && b.env.Stopped() {
		panic(&ended{})
	}
	if b.steps > maxSteps {
		b.fail("program runs too long")
	}
}

// eval computes an expression.
func (b *bc) eval(n *node) number {
	b.step()
	switch n.op {
	case "number":
		return parseNumber(n.name, b.ibase)
	case "()":
		return b.eval(n.kids[0])
	case "name", "item", "special":
		return b.get(n)
	case "call":
		return b.call(n)
	case "array":
		b.fail("array " + n.name + "[] where a number is wanted")
	case "negate":
		return b.eval(n.kids[0]).neg()
	case "!":
		return truth(b.eval(n.kids[0]).sign() == 0)
	case "&&":
		left, right := b.eval(n.kids[0]), b.eval(n.kids[1])
		return truth(left.sign() != 0 && right.sign() != 0)
	case "||":
		left, right := b.eval(n.kids[0]), b.eval(n.kids[1])
		return truth(left.sign() != 0 || right.sign() != 0)
	case "length":
		return fromInt(b.eval(n.kids[0]).length())
	case "scale":
		return fromInt(b.eval(n.kids[0]).scale)
	case "sqrt":
		x := b.eval(n.kids[0])
		if x.sign() < 0 {
			b.fail("Square root of a negative number")
		}
		return sqrt(x, b.scale)
	case "read":
		return b.read()
	case "random":
		b.seed = b.seed*1103515245 + 12345
		return fromInt(int(b.seed >> 33))
	case "=":
		v := b.eval(n.kids[1])
		b.set(n.kids[0], v)
		return v
	case "before++", "before--", "after++", "after--":
		old := b.get(n.kids[0])
		v := add(old, one)
		if strings.HasSuffix(n.op, "--") {
			v = sub(old, one)
		}
		b.set(n.kids[0], v)
		if strings.HasPrefix(n.op, "after") {
			return old
		}
		return v
	case "+=", "-=", "*=", "/=", "%=", "^=":
		v := b.eval(n.kids[1])
		v = b.operate(n.op[:1], b.get(n.kids[0]), v)
		b.set(n.kids[0], v)
		return v
	}
	left := b.eval(n.kids[0])
	return b.operate(n.op, left, b.eval(n.kids[1]))
}

func (b *bc) operate(op string, x, y number) number {
	switch op {
	case "+":
		return add(x, y)
	case "-":
		return sub(x, y)
	case "*":
		if x.digits.BitLen()+y.digits.BitLen() > maxDigits*4 {
			b.fail("number too large")
		}
		return mul(x, y, b.scale)
	case "/":
		if y.sign() == 0 {
			b.fail("Divide by zero")
		}
		return div(x, y, b.scale)
	case "%":
		if y.sign() == 0 {
			b.fail("Modulo by zero")
		}
		return mod(x, y, b.scale)
	case "^":
		if y.scale != 0 && y.rescaled(0).rescaled(y.scale).digits.Cmp(y.digits) != 0 {
			b.warn("non-zero scale in exponent")
		}
		n, ok := y.int(1 << 31)
		if !ok {
			b.fail("exponent too large in raise")
		}
		v, ok := power(x, n, b.scale)
		if !ok {
			b.fail("number too large")
		}
		return v
	}
	c := compare(x, y)
	return truth(map[string]bool{"==": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op])
}

func (b *bc) get(n *node) number {
	switch n.op {
	case "item":
		v, ok := b.array(n.name)[b.index(n)]
		if !ok {
			return zero
		}
		return v
	case "special":
		switch n.name {
		case "scale":
			return fromInt(b.scale)
		case "ibase":
			return fromInt(b.ibase)
		case "obase":
			return fromInt(b.obase)
		}
		return b.last
	}
	v, ok := b.vars[n.name]
	if !ok {
		return zero
	}
	return v
}

func (b *bc) index(n *node) int {
	i, ok := b.eval(n.kids[0]).int(maxDimension)
	if !ok || i < 0 {
		b.fail("Array " + n.name + " subscript out of bounds.")
	}
	return i
}

func (b *bc) array(name string) map[int]number {
	a := b.arrays[name]
	if a == nil {
		a = map[int]number{}
		b.arrays[name] = a
	}
	return a
}

func (b *bc) set(n *node, v number) {
	switch n.op {
	case "item":
		b.array(n.name)[b.index(n)] = v
		return
	case "name":
		b.vars[n.name] = v
		return
	}
	switch n.name {
	case "last":
		b.last = v
	case "scale":
		b.scale = b.within(v, "scale", 0, maxScale)
	case "ibase":
		b.ibase = b.within(v, "ibase", 2, 16)
	case "obase":
		b.obase = b.within(v, "obase", 2, 1<<31-1)
	}
}

// within is v as an int between two bounds, with a warning where it was not.
func (b *bc) within(v number, name string, least, most int) int {
	n, ok := v.int(1 << 40)
	switch {
	case v.sign() < 0 && name == "scale":
		b.warn("negative scale, set to 0")
		return 0
	case v.sign() < 0 || ok && n < least:
		b.warn(name + " too small, set to " + fromInt(least).format(10))
		return least
	case !ok || n > most:
		b.warn(name + " too large, set to " + fromInt(most).format(10))
		return most
	}
	return n
}

// call calls a function. Its parameters and automatic variables take the place of others with their
// names until it returns.
func (b *bc) call(n *node) number {
	f := b.parser.functions[n.name]
	if f == nil {
		if f := library(n.name); f != nil && b.mathLibrary {
			return b.callLibrary(n, f)
		}
		b.fail("Function " + n.name + " not defined.")
	}
	if len(n.kids) != len(f.params) {
		b.fail("Parameter number mismatch")
	}
	if b.depth++; b.depth > maxCalls {
		b.fail("functions call each other too deep")
	}
	vars, arrays := map[string]number{}, map[string]map[int]number{}
	for i, param := range f.params {
		arg := n.kids[i]
		name, isArray := strings.CutSuffix(param, "[]")
		if isArray != (arg.op == "array") {
			b.fail("Parameter type mismatch, parameter " + name + ".")
		}
		if !isArray {
			vars[name] = b.eval(arg)
			continue
		}
		if name, ok := strings.CutPrefix(name, "*"); ok {
			arrays[name] = b.array(arg.name)
			continue
		}
		arrays[name] = maps.Clone(b.array(arg.name))
	}
	for _, auto := range f.autos {
		if name, isArray := strings.CutSuffix(auto, "[]"); isArray {
			arrays[name] = map[int]number{}
		} else {
			vars[name] = zero
		}
	}
	swap := func() { // twice, and all is as before
		for name, v := range vars {
			vars[name], b.vars[name] = b.get(&node{op: "name", name: name}), v
		}
		for name, a := range arrays {
			arrays[name], b.arrays[name] = b.arrays[name], a
		}
	}
	swap()
	b.returned = zero
	b.run(f.body)
	v := b.returned
	b.returned = zero
	swap()
	b.depth--
	return v
}

// read reads a number from the input.
func (b *bc) read() number {
	if b.parser.text == "" && !b.parser.fill() {
		return zero
	}
	line, rest, _ := strings.Cut(b.parser.text, "\n")
	b.parser.text = rest
	s := strings.TrimSpace(line)
	digits := strings.TrimLeft(s, "-")
	if strings.Trim(digits, "0123456789ABCDEF.") != "" || digits == "" {
		return zero
	}
	v := parseNumber(digits, b.ibase)
	if s[0] == '-' {
		v = number{new(big.Int).Neg(v.digits), v.scale}
	}
	return v
}
