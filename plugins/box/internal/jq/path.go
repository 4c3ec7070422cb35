package jq

import (
	"math"
	"slices"
)

// A path is where a value was found, from the inside out.
type path struct {
	up   *path
	key  any
	lost bool // the value was computed, not found
}

// computed is a value that was found nowhere.
//
//go:noinline
func (r result) computed(v any) result {
	if r.path == nil {
		return result{v: v}
	}
	return result{v: v, path: &path{lost: true}}
}

// found is what r has at key.
//
//go:noinline
func (r result) found(v, key any) result {
	if r.path == nil {
		return result{v: v}
	}
	return result{v: v, path: &path{up: r.path, key: key}}
}

// keys returns the path from the outside in.
func (p *path) keys() []any {
	keys := []any{}
	for ; p.up != nil; p = p.up {
		keys = append(keys, p.key)
	}
	slices.Reverse(keys)
	return keys
}

func (c *compiler) index(of expr, i *indexTerm, s *scope) expr {
	var key expr
	switch {
	case i.slice:
		return c.slice(of, i, s)
	case i.str != nil:
		key = c.string(i.str, nil, s)
	case i.start != nil:
		key = c.query(i.start, s)
	default:
		key = constant(i.name)
	}
	if key == nil {
		return nil
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return of(m, e, in, func(r result) error {
			return key(m, e, result{v: in.v}, func(k result) error { return at(m, r, k.v, yield) })
		})
	}
}

// at yields what r has at key.
func at(m *machine, r result, key any, yield func(result) error) error {
	if r.path != nil && r.path.lost && r.v != nil {
		return raise("Invalid path expression near attempt to access element " + shorten(text(key), 30) + " of " + shorten(text(r.v), 30))
	}
	v, err := index(r.v, key)
	if err == nil {
		err = m.step()
	}
	if err != nil {
		return err
	}
	return yield(r.found(v, key))
}

func (c *compiler) slice(of expr, i *indexTerm, s *scope) expr {
	from, to := constant(nil), constant(nil)
	if i.start != nil {
		from = c.query(i.start, s)
	}
	if i.end != nil {
		to = c.query(i.end, s)
	}
	if from == nil || to == nil {
		return nil
	}
	return func(m *machine, e *env, in result, yield func(result) error) error {
		plain := result{v: in.v}
		return of(m, e, in, func(r result) error {
			return to(m, e, plain, func(end result) error {
				return from(m, e, plain, func(start result) error {
					key := &object{}
					key.set("start", start.v)
					key.set("end", end.v)
					return at(m, r, key, yield)
				})
			})
		})
	}
}

// iterate is .[].
func iterate(m *machine, _ *env, in result, yield func(result) error) error {
	if in.path != nil && in.path.lost && in.v != nil {
		return raise("Invalid path expression near attempt to iterate through " + shorten(text(in.v), 30))
	}
	switch v := in.v.(type) {
	case []any:
		for i, item := range v {
			if err := m.step(); err != nil {
				return err
			}
			r := result{v: item}
			if in.path != nil {
				r = in.found(item, float64(i))
			}
			if err := yield(r); err != nil {
				return err
			}
		}
		return nil
	case *object:
		for i, key := range v.keys {
			if err := m.step(); err != nil {
				return err
			}
			if err := yield(in.found(v.values()[i], key)); err != nil {
				return err
			}
		}
		return nil
	}
	return raise("Cannot iterate over " + describe(in.v))
}

// recurseAll is "..".
func recurseAll(m *machine, e *env, in result, yield func(result) error) error {
	if err := m.enter(); err != nil {
		return err
	}
	defer m.leave()
	if err := yield(in); err != nil {
		return err
	}
	switch in.v.(type) {
	case []any, *object:
		return iterate(m, e, in, func(r result) error { return recurseAll(m, e, r, yield) })
	}
	return nil
}

// index returns v[key], null where there is nothing.
func index(v, key any) (any, error) {
	switch k := key.(type) {
	case string:
		if o, ok := v.(*object); ok {
			item, _ := o.get(k)
			return item, nil
		}
		if v == nil {
			return nil, nil
		}
		if len(k) < 30 {
			return nil, raise("Cannot index " + kind(v) + " with string \"" + k + "\"")
		}
		return nil, raise("Cannot index " + kind(v) + " with string")
	case float64:
		switch a := v.(type) {
		case nil:
			return nil, nil
		case []any:
			i := int(math.Max(math.Min(math.Floor(k), 1<<40), -(1 << 40)))
			if i < 0 {
				i += len(a)
			}
			if k != k || i < 0 || i >= len(a) {
				return nil, nil
			}
			return a[i], nil
		}
	case *object:
		switch v := v.(type) {
		case nil:
			return nil, nil
		case []any:
			from, to, err := bounds(k, len(v))
			if err != nil {
				return nil, err
			}
			return v[from:to:to], nil
		case string:
			runes := []rune(v)
			from, to, err := bounds(k, len(runes))
			if err != nil {
				return nil, err
			}
			return string(runes[from:to]), nil
		}
	case []any:
		if a, ok := v.([]any); ok {
			return indices(a, k), nil
		}
	}
	if v == nil && key == nil {
		return nil, nil
	}
	return nil, raise("Cannot index " + kind(v) + " with " + kind(key))
}

// bounds returns which of n items a slice has.
func bounds(key *object, n int) (from, to int, err error) {
	start, ok := key.get("start")
	end, ok2 := key.get("end")
	if start == nil {
		start = 0.0
	}
	if end == nil {
		end = float64(n)
	}
	f, okF := start.(float64)
	t, okT := end.(float64)
	if !ok && !ok2 || !okF || !okT {
		return 0, 0, raise("Start and end indices of an array slice must be numbers")
	}
	if f < 0 {
		f += float64(n)
	}
	if t < 0 {
		t += float64(n)
	}
	from = int(math.Max(0, math.Min(math.Floor(f), float64(n))))
	to = int(math.Max(float64(from), math.Min(math.Ceil(t), float64(n))))
	return from, to, nil
}

// indices returns where sub is found within a.
func indices(a, sub []any) any {
	found := []any{}
	if len(sub) == 0 {
		return nil
	}
	for i := 0; i+len(sub) <= len(a); i++ {
		if slices.EqualFunc(a[i:i+len(sub)], sub, func(x, y any) bool { return compare(x, y) == 0 }) {
			found = append(found, float64(i))
		}
	}
	return found
}

// paths yields the paths of what x finds in v.
func paths(m *machine, e *env, x expr, v any, yield func(keys []any, r result) error) error {
	return x(m, e, result{v: v, path: &path{}}, func(r result) error {
		if r.path == nil || r.path.lost {
			if r.path != nil && r.v == nil {
				return yield([]any{}, r)
			}
			return raise("Invalid path expression with result " + shorten(text(r.v), 30))
		}
		return yield(r.path.keys(), r)
	})
}

// getPath follows keys from v; what is not there is null.
func getPath(v any, keys []any) (any, error) {
	for _, k := range keys {
		if v == nil {
			return nil, nil
		}
		var err error
		if v, err = index(v, k); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// setPath returns v with what keys lead to replaced by what f makes of it.
func (own owned) setPath(v any, keys []any, f func(old any) (any, error)) (any, error) {
	return own.set(v, keys, 0, f)
}

func (own owned) set(v any, keys []any, depth int, f func(old any) (any, error)) (any, error) {
	if depth == len(keys) {
		return f(v)
	}
	old, err := index(v, keys[depth])
	if err != nil {
		return nil, err
	}
	item, err := own.set(old, keys, depth+1, f)
	if err != nil {
		return nil, err
	}
	a, ok := v.([]any)
	if n, number := keys[depth].(float64); ok && number {
		return own.setItem(a, n, item, depth)
	}
	return setIndex(v, keys[depth], item)
}

// setIndex returns v with v[key] set.
func setIndex(v, key, item any) (any, error) {
	switch k := key.(type) {
	case string:
		switch o := v.(type) {
		case nil:
			return (&object{}).with(k, item), nil
		case *object:
			return o.with(k, item), nil
		}
	case float64:
		switch a := v.(type) {
		case nil:
			return setItem(nil, k, item)
		case []any:
			return setItem(a, k, item)
		}
	case *object:
		a, ok := v.([]any)
		if !ok && v != nil {
			return nil, raise("Cannot update field at object index of " + kind(v))
		}
		from, to, err := bounds(k, len(a))
		if err != nil {
			return nil, err
		}
		with, ok := item.([]any)
		if !ok {
			return nil, raise("A slice of an array can only be assigned another array")
		}
		return slices.Concat(a[:from], with, a[to:]), nil
	case []any:
		return nil, raise("Cannot update field at array index of array")
	}
	return nil, raise("Cannot index " + kind(v) + " with " + kind(key))
}

func setItem(a []any, key float64, item any) (any, error) {
	i := math.Floor(key)
	if i < 0 {
		if i += float64(len(a)); i < 0 {
			return nil, raise("Out of bounds negative array index")
		}
	}
	if i >= maxLength || i != i {
		return nil, errLarge
	}
	if int(i) == len(a) {
		longer, _ := extend(a, freeValue, item)
		return longer, nil
	}
	c := make([]any, max(len(a), int(i)+1))
	copy(c, a)
	c[int(i)] = item
	return c, nil
}

// deletePaths returns v without what the paths lead to, the last of them first.
func deletePaths(v any, list []any) (any, error) {
	sorted, _ := sortArray(nil, list, nil)
	for rest := sorted.([]any); len(rest) > 0; {
		keys, ok := rest[len(rest)-1].([]any)
		if !ok {
			return nil, raise("Path must be specified as array, not " + kind(rest[len(rest)-1]))
		}
		if len(keys) == 0 {
			return nil, nil
		}
		var err error
		if n := sameArray(rest); n > 1 { // not one after the other, each of which copies the array
			v, err = deleteItems(v, rest[len(rest)-n:])
			rest = rest[:len(rest)-n]
		} else {
			v, err = deletePath(v, keys)
			rest = rest[:len(rest)-1]
		}
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}

func deletePath(v any, keys []any) (any, error) {
	if v == nil {
		return nil, nil
	}
	old, err := index(v, keys[0])
	if err != nil {
		return nil, err
	}
	if len(keys) > 1 {
		if old == nil {
			return v, nil
		}
		item, err := deletePath(old, keys[1:])
		if err != nil {
			return nil, err
		}
		return setIndex(v, keys[0], item)
	}
	switch k := keys[0].(type) {
	case string:
		return v.(*object).without(k), nil
	case float64:
		a := v.([]any)
		i := int(k)
		if i < 0 {
			i += len(a)
		}
		if i < 0 || i >= len(a) {
			return v, nil
		}
		return slices.Concat(a[:i], a[i+1:]), nil
	case *object:
		a, ok := v.([]any)
		if !ok {
			return nil, raise("Cannot delete field at object index of " + kind(v))
		}
		from, to, err := bounds(k, len(a))
		if err != nil {
			return nil, err
		}
		return slices.Concat(a[:from], a[to:]), nil
	}
	return nil, raise("Cannot delete field at array index of array")
}
