package jq

import "slices"

// sameArray returns how many of the last paths of a sorted list lead to items of one array, counted
// from its beginning.
func sameArray(list []any) int {
	n := 0
	var parent []any
	for _, p := range slices.Backward(list) {
		keys, ok := p.([]any)
		if !ok || len(keys) == 0 {
			break
		}
		last := len(keys) - 1
		if i, ok := keys[last].(float64); !ok || i < 0 {
			break
		}
		if n == 0 {
			parent = keys[:last]
		} else if compare(parent, keys[:last]) != 0 {
			break
		}
		n++
	}
	return n
}

// deleteItems returns v without what the paths lead to, which are those that sameArray has counted.
func deleteItems(v any, list []any) (any, error) {
	last := list[0].([]any)
	parent := last[:len(last)-1]
	old, err := getPath(v, parent)
	if err != nil || old == nil {
		return v, err
	}
	a, ok := old.([]any)
	if !ok {
		return deletePath(v, last) // which says what is wrong
	}
	gone := make(map[int]bool, len(list))
	for _, p := range list {
		keys := p.([]any)
		if i := keys[len(keys)-1].(float64); i < float64(len(a)) {
			gone[int(i)] = true
		}
	}
	kept := make([]any, 0, len(a)-len(gone))
	for i, item := range a {
		if !gone[i] {
			kept = append(kept, item)
		}
	}
	return owned{}.setPath(v, parent, func(any) (any, error) { return kept, nil })
}
