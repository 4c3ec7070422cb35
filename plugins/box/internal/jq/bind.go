package jq

import (
	"slices"
	"strings"
)

// A binder calls then with an env that has a pattern's variables, for each way to take v apart.
type binder func(m *machine, e *env, v any, then func(*env) error) error

// bind compiles "source as pattern | body".
func (c *compiler) bind(q *query, s *scope) expr {
	source := c.query(q.left, s)
	bind, inner := c.patterns(q.patterns, s)
	body := c.query(q.right, inner)
	if source == nil || bind == nil || body == nil {
		return nil
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return source(m, e, result{v: in.v}, func(r result) error {
			return bind(m, e, r.v, func(e *env) error { return body(m, e, in, yield) })
		})
	}
}

// patterns compiles alternatives with "?//" between them: the next one is for errors, also those of
// the body. All of them bind the same variables, null where a pattern has none.
func (c *compiler) patterns(list []*pattern, s *scope) (binder, *scope) {
	var names []string
	for _, p := range list {
		names = variables(p, names)
	}
	inner := s
	for _, name := range names {
		inner = &scope{up: inner, name: name}
	}
	binders := make([]binder, len(list))
	for i, p := range list {
		if binders[i] = c.pattern(p, names, inner); binders[i] == nil {
			return nil, inner
		}
	}
	return func(m *machine, e *env, v any, then func(*env) error) error {
		for _, bind := range binders[:len(binders)-1] {
			err := bind(m, blank(e, len(names)), v, then)
			if _, failed := err.(*raised); !failed {
				return err
			}
		}
		return binders[len(binders)-1](m, blank(e, len(names)), v, then)
	}, inner
}

// variables adds the names that p binds.
func variables(p *pattern, names []string) []string {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if p.name != "" {
		add(p.name)
	}
	for _, sub := range p.array {
		names = variables(sub, names)
	}
	for _, kv := range p.object {
		if strings.HasPrefix(kv.name, "$") {
			add(kv.name)
		}
		if kv.val != nil {
			names = variables(kv.val, names)
		}
	}
	return names
}

// blank adds n variables that are null.
func blank(e *env, n int) *env {
	for range n {
		e = &env{up: e}
	}
	return e
}

// bound returns e with one of its n newest variables set.
func bound(e *env, n, i int, v any) *env {
	if i == n-1 {
		return &env{up: e.up, v: v}
	}
	return &env{up: bound(e.up, n-1, i, v), v: e.v}
}

// pattern compiles one pattern. Its env has all variables already, and gets them set.
func (c *compiler) pattern(p *pattern, names []string, s *scope) binder {
	set := func(name string) binder {
		i := slices.Index(names, name)
		return func(_ *machine, e *env, v any, then func(*env) error) error { return then(bound(e, len(names), i, v)) }
	}
	if p.name != "" {
		return set(p.name)
	}
	var all []binder
	for i, sub := range p.array {
		inner := c.pattern(sub, names, s)
		if inner == nil {
			return nil
		}
		all = append(all, func(m *machine, e *env, v any, then func(*env) error) error {
			item, err := index(v, float64(i))
			if err != nil {
				return err
			}
			return inner(m, e, item, then)
		})
	}
	for _, kv := range p.object {
		b := c.patternField(kv, names, s, set)
		if b == nil {
			return nil
		}
		all = append(all, b)
	}
	return func(m *machine, e *env, v any, then func(*env) error) error {
		var from func(i int, e *env) error
		from = func(i int, e *env) error {
			if i == len(all) {
				return then(e)
			}
			return all[i](m, e, v, func(e *env) error { return from(i+1, e) })
		}
		return from(0, e)
	}
}

// patternField compiles one key of a pattern: $name, name: pattern, "string": pattern or (query):
// pattern.
func (c *compiler) patternField(kv *patternField, names []string, s *scope, set func(string) binder) binder {
	var key expr
	var also binder // for $name, with a pattern or without
	switch {
	case kv.str != nil:
		key = c.string(kv.str, nil, s)
	case kv.query != nil:
		key = c.query(kv.query, s)
	case kv.name[0] == '$':
		key, also = constant(kv.name[1:]), set(kv.name)
	default:
		key = constant(kv.name)
	}
	inner := binder(func(_ *machine, e *env, _ any, then func(*env) error) error { return then(e) })
	if kv.val != nil {
		inner = c.pattern(kv.val, names, s)
	}
	if key == nil || inner == nil {
		return nil
	}
	return func(m *machine, e *env, v any, then func(*env) error) error {
		return key(m, e, result{v: v}, func(k result) error {
			item, err := index(v, k.v)
			if err != nil {
				return err
			}
			if also == nil {
				return inner(m, e, item, then)
			}
			return also(m, e, item, func(e *env) error { return inner(m, e, item, then) })
		})
	}
}
