package glob

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		fold, want    bool
	}{
		{"*", "", false, true},
		{"*", "a/b", false, true},
		{"*.go", "main.go", false, true},
		{"*.go", "main.got", false, false},
		{"a*b*c", "aXbYbZc", false, true},
		{"?", "é", false, true},
		{"[a-c]x", "bx", false, true},
		{"[!a-c]x", "bx", false, false},
		{"[]]", "]", false, true},
		{"[[:digit:]]", "7", false, true},
		{"[", "[", false, true},
		{"\\*", "*", false, true},
		{"\\*", "a", false, false},
		{"ABC*", "abcd", true, true},
		{"ABC*", "abcd", false, false},
	} {
		if got := Match(test.pattern, test.name, test.fold); got != test.want {
			t.Errorf("Match(%q, %q, %v) = %v, want %v", test.pattern, test.name, test.fold, got, test.want)
		}
	}
}

// FuzzMatch checks that a name always matches itself in quotes, and "*" around any part of it.
func FuzzMatch(f *testing.F) {
	f.Add("*a[b-", "ab")
	f.Add(strings.Repeat("a*", 50), strings.Repeat("a", 200))
	f.Fuzz(func(t *testing.T, pattern, name string) {
		Match(pattern, name, true)
		var quoted strings.Builder
		for _, r := range name {
			quoted.WriteString(`\` + string(r))
		}
		if strings.ToValidUTF8(name, "") == name && !Match(quoted.String(), name, false) {
			t.Errorf("Match(%q, %q) = false", quoted.String(), name)
		}
	})
}
