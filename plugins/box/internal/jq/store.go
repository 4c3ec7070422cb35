package jq

import "slices"

// A store has the values of a large object and of those that it was made from, one value after the
// other. The newest has them in vals; what they were before is in the log. So "reduce … (.[$key] +=
// 1)" replaces a value where it is, and does not copy all others each time.
type store struct {
	vals []any
	log  []undo
}

// An undo is what a value was before it was replaced.
type undo struct {
	i   int
	old any
}

// manyKeys is from how many keys on an object gets a store: few values are copied faster.
const manyKeys = 32

// values returns the values of o, in the order of its keys, which are not to be changed. They are
// valid until another object is made from o.
func (o *object) values() []any {
	switch {
	case o.store == nil:
		return o.vals
	case o.at == len(o.store.log):
		return o.store.vals[:len(o.keys)]
	}
	vals := slices.Clone(o.store.vals[:len(o.keys)])
	for _, u := range slices.Backward(o.store.log[o.at:]) {
		if u.i < len(vals) {
			vals[u.i] = u.old
		}
	}
	o.vals, o.store = vals, nil // for the next time
	return vals
}

// newest returns a store in which nothing has come after o, and how many changes that has.
func (o *object) newest() (*store, int) {
	s := o.store
	if s == nil || o.at != len(s.log) || len(o.keys) != len(s.vals) || len(s.log) > 2*len(s.vals) {
		return &store{vals: slices.Clone(o.values())}, 0
	}
	return s, o.at
}

// replaced returns o with another value.
func (o *object) replaced(i int, v any) *object {
	if len(o.keys) < manyKeys {
		c := &object{keys: o.keys, vals: slices.Clone(o.values()), index: o.index}
		c.vals[i] = v
		return c
	}
	s, at := o.newest()
	s.log = append(s.log, undo{i, s.vals[i]})
	s.vals[i] = v
	return &object{keys: o.keys, index: o.index, store: s, at: at + 1}
}
