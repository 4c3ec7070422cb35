package challenge

import (
	"slices"
	"strings"
)

// order compares the order in which the three parts of an answer stand with
// the one they should have. find returns where a part is, or -1. found and
// expected are for people.
func order(find func(name string) int) (found, expected string) {
	type part struct {
		name string
		at   int
	}
	var parts []part
	for _, name := range []string{"analysis", "plan", "commands"} {
		if at := find(name); at >= 0 {
			parts = append(parts, part{name, at})
		}
	}
	list := func() string {
		names := make([]string, len(parts))
		for i, p := range parts {
			names[i] = p.name
		}
		return strings.Join(names, " → ")
	}
	expected = list()
	slices.SortFunc(parts, func(a, b part) int { return a.at - b.at })
	return list(), expected
}
