package jq

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A value is nil, a bool, a float64, a string, an array ([]any) or an *object. Values are never
// changed once somebody else may have them: what changes one makes another.

// An object keeps its keys in the order in which they were set. Objects may share what is behind
// their slices, and the index, which may know keys that others have added: they count from
// len(keys) on.
type object struct {
	keys  []string
	vals  []any          // unless there is a store: values returns them
	index map[string]int // of keys, nil while there are few

	store *store // of large objects whose values were replaced
	at    int    // how many of the store's changes it has
}

// fewKeys is how many keys are found faster by looking at each.
const fewKeys = 8

//go:noinline
func (o *object) find(key string) int {
	if o.index == nil {
		return slices.Index(o.keys, key)
	}
	if i, ok := o.index[key]; ok && i < len(o.keys) {
		return i
	}
	return -1
}

func (o *object) get(key string) (any, bool) {
	if i := o.find(key); i >= 0 {
		return o.values()[i], true
	}
	return nil, false
}

// set changes o itself, which must be new or a clone that nobody else has.
func (o *object) set(key string, v any) {
	if i := o.find(key); i >= 0 {
		o.vals[i] = v
		return
	}
	if o.keys == nil {
		o.keys, o.vals = make([]string, 0, 4), make([]any, 0, 4)
	}
	o.keys, o.vals = append(o.keys, key), append(o.vals, v)
	o.indexLast()
}

// indexLast adds the last key to the index, if there are enough for one.
func (o *object) indexLast() {
	n := len(o.keys)
	switch {
	case o.index != nil:
		o.index[o.keys[n-1]] = n - 1
	case n > fewKeys:
		o.index = make(map[string]int, n)
		for i, k := range o.keys {
			o.index[k] = i
		}
	}
}

func (o *object) clone() *object {
	c := &object{keys: slices.Clone(o.keys), vals: slices.Clone(o.values())}
	if len(c.keys) > 0 {
		c.indexLast()
	}
	return c
}

// with returns o with a key set.
func (o *object) with(key string, v any) *object {
	if i := o.find(key); i >= 0 {
		return o.replaced(i, v)
	}
	c := &object{}
	keys, claimed := extend(o.keys, freeKey, key)
	if c.keys = keys; claimed {
		c.index = o.index
	}
	if o.store != nil {
		c.store, c.at = o.newest()
		c.store.vals = append(c.store.vals, v)
	} else {
		c.vals, _ = extend(o.vals, freeValue, v)
	}
	c.indexLast()
	return c
}

// What nobody has used yet of the space behind a slice is marked. So the first who adds something
// can have it there, and adding one by one takes no copy each: others who have the slice see no
// more than they did. No key and no value is equal to a mark.
const freeKey = "\xff"

var freeValue any = free{}

type free struct{}

// extend returns s with more at its end. claimed says whether it is still in the same place.
func extend[T comparable](s []T, mark T, more ...T) (_ []T, claimed bool) {
	n := len(s)
	if len(more) <= cap(s)-n && (len(more) == 0 || s[:n+1][n] == mark) {
		return append(s, more...), true
	}
	grown := make([]T, n+len(more), 2*(n+len(more))+2)
	copy(grown, s)
	copy(grown[n:], more)
	spare := grown[len(grown):cap(grown)]
	for i := range spare {
		spare[i] = mark
	}
	return grown, false
}

// without returns o without a key.
func (o *object) without(key string) *object {
	i := o.find(key)
	if i < 0 {
		return o
	}
	c := &object{keys: slices.Delete(slices.Clone(o.keys), i, i+1), vals: slices.Delete(slices.Clone(o.values()), i, i+1)}
	return c.clone()
}

// sortedKeys returns the keys in the order of their code points.
func (o *object) sortedKeys() []string { return slices.Sorted(slices.Values(o.keys)) }

// kind names a value's type, as messages and "type" do.
//
//go:noinline
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// truth is false for null and false only.
func truth(v any) bool { return v != nil && v != false }

// rank orders values of different types.
func rank(v any) int {
	switch v := v.(type) {
	case nil:
		return 0
	case bool:
		if v {
			return 2
		}
		return 1
	case float64:
		return 3
	case string:
		return 4
	case []any:
		return 5
	}
	return 6
}

// compare orders any two values. A number that is none comes before all others.
func compare(a, b any) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case float64:
		if a != a {
			return -1 // also than another one
		}
		return cmp.Compare(a, b.(float64))
	case string:
		return strings.Compare(a, b.(string))
	case []any:
		return slices.CompareFunc(a, b.([]any), compare)
	case *object:
		return compareObjects(a, b.(*object))
	}
	return 0
}

// compareObjects orders by the sets of keys first, then by the values key by key.
func compareObjects(a, b *object) int {
	keys := a.sortedKeys()
	if c := slices.Compare(keys, b.sortedKeys()); c != 0 {
		return c
	}
	for _, k := range keys {
		x, _ := a.get(k)
		y, _ := b.get(k)
		if c := compare(x, y); c != 0 {
			return c
		}
	}
	return 0
}

// contains reports whether a has b within it. Both have the same type.
func contains(a, b any) bool {
	switch a := a.(type) {
	case *object:
		b := b.(*object)
		for i, k := range b.keys {
			v, ok := a.get(k)
			if !ok || !containsAny(v, b.values()[i]) {
				return false
			}
		}
		return true
	case []any:
		for _, want := range b.([]any) {
			if !slices.ContainsFunc(a, func(v any) bool { return containsAny(v, want) }) {
				return false
			}
		}
		return true
	case string:
		return strings.Contains(a, b.(string))
	}
	return compare(a, b) == 0
}

func containsAny(a, b any) bool {
	if kind(a) != kind(b) {
		return false
	}
	return contains(a, b)
}

// describe is a value as messages show it: its type and the beginning of its text.
func describe(v any) string { return kind(v) + " (" + shorten(text(v), 15) + ")" }

// shorten cuts s where jq's buffer for messages of that many bytes ends.
func shorten(s string, size int) string {
	if len(s) < size {
		return s
	}
	cut := size - 4
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
