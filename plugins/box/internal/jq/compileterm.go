package jq

import (
	"strconv"
	"strings"
)

func (c *compiler) term(t *term, s *scope) expr {
	x := c.primary(t, s)
	for _, suffix := range t.suffixes {
		if x == nil {
			return nil
		}
		switch {
		case suffix.optional:
			x = try(x, nil)
		case suffix.iterate:
			x = pipe(x, iterate)
		default:
			x = c.index(x, suffix.index, s)
		}
	}
	return x
}

func (c *compiler) primary(t *term, s *scope) expr {
	switch t.kind {
	case termIdentity:
		return identity
	case termRecurse:
		return recurseAll
	case termNull:
		return constant(nil)
	case termTrue:
		return constant(true)
	case termFalse:
		return constant(false)
	case termNumber:
		f, _ := strconv.ParseFloat(t.number, 64)
		return constant(f)
	case termIndex:
		return c.index(identity, t.index, s)
	case termCall:
		return c.call(t.call, s)
	case termObject:
		return c.object(t.object, s)
	case termArray:
		return c.array(t.query, s)
	case termMinus:
		return c.minus(t.operand, s)
	case termFormat:
		return c.format(t, s)
	case termString:
		return c.string(t.str, nil, s)
	case termIf:
		return c.conditional(t.cond, s)
	case termTry:
		return c.try(t, s)
	case termReduce:
		return c.reduce(t.fold, s)
	case termForeach:
		return c.foreach(t.fold, s)
	case termLabel:
		return c.label(t, s)
	case termBreak:
		return c.breakTo(t.name, s)
	case termQuery:
		return c.query(t.query, s)
	}
	return c.errorf("", "cannot compile this")
}

func (c *compiler) minus(operand *term, s *scope) expr {
	x := c.term(operand, s)
	if x == nil {
		return nil
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return x(m, e, result{v: in.v}, func(r result) error {
			f, ok := r.v.(float64)
			if !ok {
				return raise(describe(r.v) + " cannot be negated")
			}
			return yield(in.computed(-f))
		})
	}
}

func (c *compiler) array(items *query, s *scope) expr {
	if items == nil {
		return constant([]any{})
	}
	x := c.query(items, s)
	if x == nil {
		return nil
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		list := []any{}
		err := x(m, e, result{v: in.v}, func(r result) error {
			list = append(list, r.v)
			return m.grown(len(list))
		})
		if err != nil {
			return err
		}
		return yield(in.computed(list))
	}
}

// object compiles {…}: one object for each combination of keys and values.
func (c *compiler) object(list []*objectField, s *scope) expr {
	type field struct{ key, val expr }
	fields := make([]field, len(list))
	for i, kv := range list {
		f := &fields[i]
		switch {
		case kv.str != nil:
			f.key = c.string(kv.str, nil, s)
		case kv.query != nil:
			if kv.query.isNumber() {
				return c.errorf("(", "Cannot use number (%s) as object key", kv.query.term.number)
			}
			f.key = c.query(kv.query, s)
		case kv.name[0] == '$':
			f.key = constant(kv.name[1:])
		default:
			f.key = constant(kv.name)
		}
		switch {
		case kv.val != nil:
			f.val = c.query(kv.val, s)
		case strings.HasPrefix(kv.name, "$"):
			f.val = c.variable(kv.name, s)
		default: // {a} is {a: .a}
			key := f.key
			f.val = func(m *machine, e *env, in result, yield func(result) error) error {
				return key(m, e, in, func(k result) error {
					v, err := index(in.v, k.v)
					if err != nil {
						return err
					}
					return yield(result{v: v})
				})
			}
		}
		if f.key == nil || f.val == nil {
			return nil
		}
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		plain := result{v: in.v}
		var from func(i int, o *object) error
		from = func(i int, o *object) error {
			if i == len(fields) {
				return yield(in.computed(o))
			}
			return fields[i].key(m, e, plain, func(k result) error {
				return fields[i].val(m, e, plain, func(v result) error {
					key, ok := k.v.(string)
					if !ok {
						return raise("Object keys must be strings")
					}
					if err := m.step(); err != nil {
						return err
					}
					return from(i+1, o.with(key, v.v))
				})
			})
		}
		return from(0, &object{})
	}
}

func (c *compiler) conditional(f *conditional, s *scope) expr {
	cond, then := c.query(f.cond, s), c.query(f.then, s)
	otherwise := expr(identity)
	if f.otherwise != nil {
		otherwise = c.query(f.otherwise, s)
	}
	if cond == nil || then == nil || otherwise == nil {
		return nil
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return cond(m, e, result{v: in.v}, func(r result) error {
			if truth(r.v) {
				return then(m, e, in, yield)
			}
			return otherwise(m, e, in, yield)
		})
	}
}

func (c *compiler) try(t *term, s *scope) expr {
	body := c.term(t.body, s)
	var catch expr
	if t.catch != nil {
		if catch = c.term(t.catch, s); catch == nil {
			return nil
		}
	}
	if body == nil {
		return nil
	}
	return try(body, catch)
}

// try yields what body does until it fails, and then what catch makes of the error. "break" is what
// ends loops, and is no error here.
func try(body, catch expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		err := body(m, e, in, func(r result) error { return passed(yield(r)) })
		if through, ok := err.(*passing); ok {
			return through.err
		}
		failure, ok := err.(*raised)
		if !ok {
			return err
		}
		if catch == nil || failure.isBreak() {
			return nil
		}
		return catch(m, e, in.computed(failure.v), yield)
	}
}

func (c *compiler) label(t *term, s *scope) expr {
	body := c.query(t.query, &scope{up: s, name: "*label-" + t.name[1:]})
	if body == nil {
		return nil
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		here := &env{up: e}
		err := body(m, here, in, yield)
		if left, ok := err.(*leaving); ok && left.to == here {
			return nil
		}
		return err
	}
}

// leaving ends everything within a label.
type leaving struct{ to *env }

func (*leaving) Error() string { return "break" }

func (c *compiler) breakTo(name string, s *scope) expr {
	distance, bound := s.lookup("*label-" + name[1:])
	if bound == nil {
		return c.errorf("break", "$*label-%s is not defined", name[1:])
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return &leaving{e.at(distance)}
	}
}

// string compiles a string with parts to be computed, each of them put through format.
func (c *compiler) string(str *stringTerm, format func(any) (string, error), s *scope) expr {
	if str.parts == nil {
		return constant(str.text)
	}
	type part struct {
		text string
		x    expr // nil for text
	}
	if format == nil {
		format = formats()["@text"]
	}
	var parts []part
	for _, sp := range str.parts {
		if sp.query == nil {
			parts = append(parts, part{text: sp.text})
			continue
		}
		x := c.query(sp.query, s)
		if x == nil {
			return nil
		}
		parts = append(parts, part{x: x})
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		plain := result{v: in.v}
		var from func(i int, tail string) error // the last part varies slowest
		from = func(i int, tail string) error {
			if i < 0 {
				if err := m.made(tail); err != nil {
					return err
				}
				return yield(in.computed(tail))
			}
			if parts[i].x == nil {
				return from(i-1, parts[i].text+tail)
			}
			return parts[i].x(m, e, plain, func(r result) error {
				text, err := format(r.v)
				if err != nil {
					return err
				}
				return from(i-1, text+tail)
			})
		}
		return from(len(parts)-1, "")
	}
}

// format compiles @name, or @name "string".
func (c *compiler) format(t *term, s *scope) expr {
	format, ok := formats()[t.format]
	if !ok {
		format = func(any) (string, error) { return "", raise(t.format[1:] + " is not a valid format") }
	}
	if t.str != nil {
		return c.string(t.str, format, s)
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		text, err := format(in.v)
		if err != nil {
			return err
		}
		return yield(in.computed(text))
	}
}

func (c *compiler) reduce(r *fold, s *scope) expr {
	source, start := c.term(r.source, s), c.query(r.start, s)
	bind, inner := c.patterns(r.patterns, s)
	update := c.query(r.update, inner)
	if source == nil || start == nil || bind == nil || update == nil {
		return nil
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return start(m, e, in, func(state result) error {
			err := source(m, e, result{v: in.v}, func(item result) error {
				return bind(m, e, item.v, func(e *env) error {
					last := state.computed(nil)
					err := update(m, e, state, func(r result) error {
						last = r
						return m.step()
					})
					state = last
					return err
				})
			})
			if err != nil {
				return err
			}
			return yield(state)
		})
	}
}

func (c *compiler) foreach(f *fold, s *scope) expr {
	source, start := c.term(f.source, s), c.query(f.start, s)
	bind, inner := c.patterns(f.patterns, s)
	update, extract := c.query(f.update, inner), expr(identity)
	if f.extract != nil {
		extract = c.query(f.extract, inner)
	}
	if source == nil || start == nil || bind == nil || update == nil || extract == nil {
		return nil
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return start(m, e, in, func(state result) error {
			return source(m, e, result{v: in.v}, func(item result) error {
				return bind(m, e, item.v, func(e *env) error {
					return update(m, e, state, func(r result) error {
						state = r
						return extract(m, e, r, yield)
					})
				})
			})
		})
	}
}
