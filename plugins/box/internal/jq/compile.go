package jq

import (
	"fmt"
	"strconv"
)

// A query becomes a tree of closures that call what comes next with each of their results, so that
// nothing is computed that nobody asks for.

// A result is a value and, while paths are wanted, where it was found.
type result struct {
	v    any
	path *path // nil while no paths are wanted
}

// An expr calls yield with each of its results for in. An error from yield ends it.
type expr func(m *machine, e *env, in result, yield func(result) error) error

// An env holds what names mean while a program runs. It has the shape of the scope in which the
// program was compiled.
type env struct {
	up *env
	v  any      // of a variable
	fn *closure // of a function or a parameter
}

// A closure is a function, or an argument with the names that it can see.
type closure struct {
	body   expr
	env    *env
	params []string
}

// A scope holds the names that are known where something is compiled.
type scope struct {
	up    *scope
	name  string // "$x", "f/1", or "*label-x"
	param bool   // its closure is an argument
}

type compiler struct {
	source string // for messages
	depth  int
	errs   []string
}

// errorf remembers what is wrong with the program.
func (c *compiler) errorf(near, format string, a ...any) expr {
	c.errs = append(c.errs, complaint(c.source, fmt.Sprintf(format, a...), positionOf(c.source, near)))
	return nil
}

// lookup returns how many names ago a name was bound, or -1.
func (s *scope) lookup(name string) (distance int, bound *scope) {
	for ; s != nil; s = s.up {
		if s.name == name {
			return distance, s
		}
		distance++
	}
	return -1, nil
}

// bind returns e with one more variable.
func (e *env) bind(v any) *env { return &env{up: e, v: v} }

func (e *env) at(distance int) *env {
	for range distance {
		e = e.up
	}
	return e
}

// maxNesting bounds how deep programs are nested, in levels.
const maxNesting = 2_000

// query compiles q where the names of s are known. It returns nil after an error.
func (c *compiler) query(q *query, s *scope) expr {
	if c.depth++; c.depth > maxNesting {
		return c.errorf("", "program is nested too deep")
	}
	defer func() { c.depth-- }()
	if len(q.funcDefs) > 0 {
		return c.definitions(q, s)
	}
	if q.term != nil {
		return c.term(q.term, s)
	}
	if len(q.patterns) > 0 {
		return c.bind(q, s)
	}
	switch q.op {
	case "=", "|=", "+=", "-=", "*=", "/=", "%=", "//=":
		return c.assignment(q, s)
	}
	left, right := c.query(q.left, s), c.query(q.right, s)
	if left == nil || right == nil {
		return nil
	}
	switch q.op {
	case "|":
		return pipe(left, right)
	case ",":
		return func(m *machine, e *env, in result, yield func(result) error) error {
			if err := left(m, e, in, yield); err != nil {
				return err
			}
			return right(m, e, in, yield)
		}
	case "//":
		return alternative(left, right)
	case "and", "or":
		return logical(left, right, q.op == "or")
	}
	if q.op == "/" && q.left.isNumber() && q.right.isNumber() && q.right.term.number == "0" {
		return c.errorf("", "Division by zero?")
	}
	return binary(left, right, operators()[q.op])
}

func identity(_ *machine, _ *env, in result, yield func(result) error) error { return yield(in) }

func pipe(left, right expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return left(m, e, in, func(r result) error { return right(m, e, r, yield) })
	}
}

// constant yields a value that was found nowhere.
//
//go:noinline
func constant(v any) expr {
	return func(_ *machine, _ *env, in result, yield func(result) error) error { return yield(in.computed(v)) }
}

// binary computes with all pairs of operands, the left ones first.
func binary(left, right expr, op func(a, b any) (any, error)) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		plain := result{v: in.v}
		return right(m, e, plain, func(r result) error {
			return left(m, e, plain, func(l result) error {
				v, err := op(l.v, r.v)
				if err != nil {
					return err
				}
				if err := m.made(v); err != nil {
					return err
				}
				return yield(in.computed(v))
			})
		})
	}
}

func logical(left, right expr, or bool) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		plain := result{v: in.v}
		return left(m, e, plain, func(l result) error {
			if truth(l.v) == or {
				return yield(in.computed(or))
			}
			return right(m, e, plain, func(r result) error { return yield(in.computed(truth(r.v))) })
		})
	}
}

// alternative yields what is true of left, or right if nothing is.
func alternative(left, right expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		some := false
		err := left(m, e, in, func(r result) error {
			if !truth(r.v) {
				return nil
			}
			some = true
			return yield(r)
		})
		if err != nil || some {
			return err
		}
		return right(m, e, in, yield)
	}
}

// A passing error comes from what uses a result, not from what makes it: no "try" in between may
// catch it.
type passing struct{ err error }

func (p *passing) Error() string { return p.err.Error() }

func passed(err error) error {
	if err == nil {
		return nil
	}
	return &passing{err}
}

func (q *query) isNumber() bool {
	return q.term != nil && q.term.kind == termNumber && q.term.suffixes == nil
}

// definitions compiles "def f: …; rest".
func (c *compiler) definitions(q *query, s *scope) expr {
	rest := *q
	rest.funcDefs = q.funcDefs[1:]
	body, params, inner := c.function(q.funcDefs[0], s)
	after := c.query(&rest, inner)
	if body == nil || after == nil {
		return nil
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return after(m, define(e, body, params), in, yield)
	}
}

// define binds a function that can call itself.
func define(e *env, body expr, params []string) *env {
	f := &env{up: e}
	f.fn = &closure{body: body, env: f, params: params}
	return f
}

// function compiles a definition. inner is the scope in which its name is known.
func (c *compiler) function(d *funcDef, s *scope) (body expr, params []string, inner *scope) {
	inner = &scope{up: s, name: signature(d.name, len(d.params))}
	in := inner
	for _, p := range d.params {
		in = &scope{up: in, name: p, param: true}
		if p[0] == '$' { // $x is known as x too
			in = &scope{up: in, name: signature(p[1:], 0), param: true}
		} else {
			in.name = signature(p, 0)
		}
	}
	return c.query(d.body, in), d.params, inner
}

func signature(name string, params int) string { return name + "/" + strconv.Itoa(params) }
