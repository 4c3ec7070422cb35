package main

import (
	"strings"
	"testing"
)

func TestMissingToolIsNamed(t *testing.T) {
	list := []tool{
		{name: "go", probe: []string{"go", "version"}, debian: []string{"golang"}},
		{name: "loom", why: "the cloth is woven on it", probe: []string{"no-such-loom"}, debian: []string{"loom", "loom-yarn"}},
	}
	missing := missingTools(t.Context(), list)
	if len(missing) != 1 || missing[0].name != "loom" {
		t.Fatalf("got %v, want only the loom", missing)
	}
	got := missingMessage(missing)
	for _, want := range []string{"missing: loom (the cloth is woven on it)", "the Debian packages are: loom loom-yarn"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}
