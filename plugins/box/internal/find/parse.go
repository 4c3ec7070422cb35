package find

import (
	"fmt"
	"slices"
	"strings"
)

// maxNesting bounds parentheses and negations.
const maxNesting = 1000

// A node is a part of an expression.
type node interface {
	eval(f *finder, v *visit) bool
}

type (
	and    struct{ a, b node }
	or     struct{ a, b node }
	list   struct{ a, b node }
	negate struct{ n node }
	always bool
	test   func(f *finder, v *visit) bool
)

func (n and) eval(f *finder, v *visit) bool    { return n.a.eval(f, v) && !f.quit && n.b.eval(f, v) }
func (n or) eval(f *finder, v *visit) bool     { return n.a.eval(f, v) || !f.quit && n.b.eval(f, v) }
func (n list) eval(f *finder, v *visit) bool   { n.a.eval(f, v); return !f.quit && n.b.eval(f, v) }
func (n negate) eval(f *finder, v *visit) bool { return !n.n.eval(f, v) }
func (n always) eval(*finder, *visit) bool     { return bool(n) }
func (n test) eval(f *finder, v *visit) bool   { return n(f, v) }

// A parser reads an expression; see "EXPRESSION" of find(1).
type parser struct {
	f               *finder
	args            []string
	nesting         int
	extended, basic bool   // the syntax of -regex: neither is Emacs
	last            string // the predicate before the next argument
}

func (p *parser) parse() (node, error) {
	if len(p.args) == 0 {
		return always(true), nil
	}
	n, err := p.list()
	if err != nil {
		return nil, err
	}
	if len(p.args) > 0 {
		return nil, complain("you have too many ')'")
	}
	return n, nil
}

func (p *parser) peek() string {
	if len(p.args) == 0 {
		return ""
	}
	return p.args[0]
}

func (p *parser) next() string {
	a := p.args[0]
	p.args = p.args[1:]
	return a
}

func (p *parser) list() (node, error) {
	return p.binary([]string{","}, p.or, func(a, b node) node { return list{a, b} })
}

func (p *parser) or() (node, error) {
	return p.binary([]string{"-o", "-or"}, p.and, func(a, b node) node { return or{a, b} })
}

func (p *parser) binary(ops []string, operand func() (node, error), join func(a, b node) node) (node, error) {
	n, err := operand()
	for err == nil && len(p.args) > 0 && slices.Contains(ops, p.peek()) {
		op := p.next()
		if len(p.args) == 0 {
			return nil, complain("expected an expression after '%s'", op)
		}
		var right node
		right, err = operand()
		n = join(n, right)
	}
	return n, err
}

func (p *parser) and() (node, error) {
	n, err := p.unary()
	for err == nil && len(p.args) > 0 {
		switch p.peek() {
		case ",", "-o", "-or", ")":
			return n, nil
		case "-a", "-and":
			op := p.next()
			if len(p.args) == 0 {
				return nil, complain("expected an expression after '%s'", op)
			}
		}
		var right node
		right, err = p.unary()
		n = and{n, right}
	}
	return n, err
}

func (p *parser) unary() (node, error) {
	if p.nesting++; p.nesting > maxNesting {
		return nil, complain("invalid expression; it is nested too deeply")
	}
	defer func() { p.nesting-- }()
	switch a := p.next(); a {
	case "!", "-not":
		if len(p.args) == 0 {
			return nil, complain("expected an expression after '%s'", a)
		}
		n, err := p.unary()
		return negate{n}, err
	case "(":
		return p.parenthesis()
	case ")":
		return nil, complain("invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('")
	case "-o", "-or", "-a", "-and", ",":
		return nil, complain("invalid expression; you have used a binary operator '%s' with nothing before it.", a)
	default:
		return p.predicate(a)
	}
}

func (p *parser) parenthesis() (node, error) {
	switch {
	case len(p.args) == 0:
		return nil, complain("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
	case p.peek() == ")":
		return nil, complain("invalid expression; empty parentheses are not allowed.")
	}
	n, err := p.list()
	if err != nil {
		return nil, err
	}
	if p.peek() != ")" {
		return nil, complain("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
	}
	p.next()
	return n, nil
}

// predicate reads a test, an action or an option.
func (p *parser) predicate(name string) (node, error) {
	if name == "" || name[0] != '-' || len(name) == 1 {
		return nil, p.stray(name)
	}
	name = strings.TrimPrefix(name[1:], "-")
	if global, ok := globals[name]; ok {
		return always(true), global(p)
	}
	p.last = "-" + name
	if n, ok := plain[name]; ok {
		return n, nil
	}
	if action, ok := actions[name]; ok {
		p.f.acts = p.f.acts || name != "prune" && name != "quit"
		return action(p, name)
	}
	make, ok := tests[name]
	if !ok {
		if newer, ok := newerTest(name); ok {
			make = newer
		} else {
			return nil, complain("unknown predicate `-%s'", name)
		}
	}
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	return make(p, name, arg)
}

func (p *parser) argument(name string) (string, error) {
	if len(p.args) == 0 {
		return "", complain("missing argument to `-%s'", name)
	}
	return p.next(), nil
}

// stray complains of a word where a predicate should be; often a shell has expanded a pattern.
func (p *parser) stray(word string) error {
	msg := fmt.Sprintf("paths must precede expression: `%s'", word)
	if _, err := p.f.env.Lstat(word); err == nil && p.last != "" {
		msg += fmt.Sprintf("\n%s: possible unquoted pattern after predicate `%s'?", p.f.env.Name, p.last)
	}
	return complain("%s", msg)
}
