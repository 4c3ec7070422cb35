package awk

import (
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// An array keeps its elements in the order in which they came to be, so that "for (k in a)" is the
// same in every run. What split makes of each record has no keys until something asks for others
// than 1, 2, ….
type array struct {
	parts []element // elements 1, 2, … if there are no others; else nil
	byKey map[string]*element
	order []*element
	dead  int
}

type element struct {
	key  string
	val  value
	dead bool
}

// sizeOfElement is about what one takes beside its text, in bytes.
const sizeOfElement = 100

// keep ends a program that keeps too much.
func keep(n int) {
	if err := tool.Keep(n); err != nil {
		panic(&runtimeError{msg: err.Error()})
	}
}

// at returns the element, which it makes if it is missing.
func (a *array) at(key string) *element {
	e := a.find(key)
	if e == nil {
		a.keyed()
		keep(len(key) + sizeOfElement)
		e = &element{key: strings.Clone(key)}
		if a.byKey == nil {
			a.byKey = map[string]*element{}
		}
		a.byKey[e.key] = e
		a.order = append(a.order, e)
	}
	return e
}

// find returns the element or nil.
func (a *array) find(key string) *element {
	if a.parts != nil {
		if n, err := strconv.Atoi(key); err == nil && strconv.Itoa(n) == key {
			return a.numbered(float64(n))
		}
		return nil
	}
	return a.byKey[key]
}

func (a *array) has(key string) bool { return a.find(key) != nil }

// numbered is find for one of the parts.
func (a *array) numbered(n float64) *element {
	if i := int(n) - 1; i >= 0 && i < len(a.parts) && float64(i+1) == n {
		return &a.parts[i]
	}
	return nil
}

func (a *array) len() int { return len(a.parts) + len(a.byKey) }

// keyed gives the parts their keys.
func (a *array) keyed() {
	if a.parts == nil {
		return
	}
	a.byKey = make(map[string]*element, len(a.parts))
	for i := range a.parts {
		e := &a.parts[i]
		e.key = strconv.Itoa(i + 1)
		a.byKey[e.key] = e
		a.order = append(a.order, e)
	}
	a.parts = nil
}

// list returns the elements that there are, which may be removed while the list is gone through.
func (a *array) list() []*element {
	a.keyed()
	return append([]*element(nil), a.order...)
}

func (a *array) remove(key string) {
	a.keyed()
	e := a.byKey[key]
	if e == nil {
		return
	}
	delete(a.byKey, key)
	e.dead = true
	if a.dead++; a.dead > 32 && a.dead > len(a.order)/2 {
		live := make([]*element, 0, len(a.byKey))
		for _, e := range a.order {
			if !e.dead {
				live = append(live, e)
			}
		}
		a.order, a.dead = live, 0
	}
}

func (a *array) clear() {
	for _, e := range a.order {
		e.dead = true
	}
	*a = array{}
}

// split makes parts of a string the elements.
func (a *array) split(parts []string) {
	room := a.parts
	a.clear()
	if cap(room) < len(parts) {
		keep(len(parts) * sizeOfElement)
		room = make([]element, len(parts))
	}
	a.parts = room[:len(parts)]
	for i, p := range parts {
		a.parts[i] = element{val: field(p)}
	}
}
