package jq

import (
	"math"
	"slices"
	"strings"
	"sync"
)

var notANumber = math.NaN()

// operators returns what operators of two values do. The map is shared: it is only read.
// It is made when it is needed, and not whenever the box starts.
var operators = sync.OnceValue(func() map[string]func(a, b any) (any, error) {
	return map[string]func(a, b any) (any, error){
		"+":  add,
		"-":  subtract,
		"*":  multiply,
		"/":  divide,
		"%":  modulo,
		"==": func(a, b any) (any, error) { return equal(a, b), nil },
		"!=": func(a, b any) (any, error) { return !equal(a, b), nil },
		"<":  func(a, b any) (any, error) { return compare(a, b) < 0, nil },
		"<=": func(a, b any) (any, error) { return compare(a, b) <= 0, nil },
		">":  func(a, b any) (any, error) { return compare(a, b) > 0, nil },
		">=": func(a, b any) (any, error) { return compare(a, b) >= 0, nil },
	}
})

//go:noinline
func equal(a, b any) bool { return kind(a) == kind(b) && compare(a, b) == 0 }

// cannot is an error about two operands.
func cannot(a, b any, what string) error {
	return raise(describe(a) + " and " + describe(b) + " cannot be " + what)
}

func add(a, b any) (any, error) {
	switch {
	case a == nil:
		return b, nil
	case b == nil:
		return a, nil
	}
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			return x + y, nil
		}
	case string:
		if y, ok := b.(string); ok {
			return x + y, nil
		}
	case []any:
		if y, ok := b.([]any); ok {
			sum, _ := extend(x, freeValue, y...)
			return sum, nil
		}
	case *object:
		if y, ok := b.(*object); ok {
			return merge(x, y), nil
		}
	}
	return nil, cannot(a, b, "added")
}

// merge returns a with what b has. If that is little, as where a loop adds key by key, a is not
// copied.
func merge(a, b *object) *object {
	if len(b.keys) <= fewKeys {
		for i, k := range b.keys {
			a = a.with(k, b.values()[i])
		}
		return a
	}
	o := a.clone()
	for i, k := range b.keys {
		o.set(k, b.values()[i])
	}
	return o
}

func subtract(a, b any) (any, error) {
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			return x - y, nil
		}
	case []any:
		if y, ok := b.([]any); ok {
			kept := []any{}
			for _, v := range x {
				if !slices.ContainsFunc(y, func(w any) bool { return equal(v, w) }) {
					kept = append(kept, v)
				}
			}
			return kept, nil
		}
	}
	return nil, cannot(a, b, "subtracted")
}

func multiply(a, b any) (any, error) {
	switch x := a.(type) {
	case float64:
		switch y := b.(type) {
		case float64:
			return x * y, nil
		case string:
			return repeatString(y, x)
		}
	case string:
		if y, ok := b.(float64); ok {
			return repeatString(x, y)
		}
	case *object:
		if y, ok := b.(*object); ok {
			return mergeDeep(x, y), nil
		}
	}
	return nil, cannot(a, b, "multiplied")
}

// repeatString is null for less than any repetition.
func repeatString(s string, times float64) (any, error) {
	if !(times > 0) {
		return nil, nil
	}
	n := max(1, math.Floor(times))
	if n*float64(len(s)) > maxString {
		return nil, errLarge
	}
	return strings.Repeat(s, int(n)), nil
}

func mergeDeep(a, b *object) *object {
	o := a.clone()
	for i, k := range b.keys {
		v := b.values()[i]
		old, _ := o.get(k)
		x, ok := old.(*object)
		y, ok2 := v.(*object)
		if ok && ok2 {
			v = mergeDeep(x, y)
		}
		o.set(k, v)
	}
	return o
}

func divide(a, b any) (any, error) {
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			if y == 0 {
				return nil, cannot(a, b, "divided because the divisor is zero")
			}
			return x / y, nil
		}
	case string:
		if y, ok := b.(string); ok {
			return split(x, y), nil
		}
	}
	return nil, cannot(a, b, "divided")
}

func split(s, sep string) []any {
	parts := []any{}
	if s == "" {
		return parts
	}
	for part := range strings.SplitSeq(s, sep) {
		parts = append(parts, part)
	}
	return parts
}

func modulo(a, b any) (any, error) {
	x, ok := a.(float64)
	y, ok2 := b.(float64)
	if !ok || !ok2 {
		return nil, cannot(a, b, "divided (remainder)")
	}
	if math.IsNaN(x) || math.IsNaN(y) {
		return notANumber, nil
	}
	n, d := truncate(x), truncate(y)
	if d < 0 && d != math.MinInt64 {
		d = -d
	}
	switch {
	case d == 0:
		return nil, cannot(a, b, "divided (remainder) because the divisor is zero")
	case d == math.MinInt64:
		return x, nil
	}
	return float64(n % d), nil
}

// truncate makes a number whole, the nearest that there is.
func truncate(f float64) int64 {
	switch {
	case f >= 1<<63:
		return math.MaxInt64
	case f <= -1<<63:
		return math.MinInt64
	}
	return int64(f)
}
