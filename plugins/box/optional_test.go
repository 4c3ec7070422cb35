package main

import (
	"slices"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins"
)

// TestOptional has the names that plugins may ask the box for be those of its optional commands,
// which are not there otherwise.
func TestOptional(t *testing.T) {
	var optional []string
	for name, c := range commands() {
		if c.Optional {
			optional = append(optional, name)
		}
	}
	slices.Sort(optional)
	if !slices.Equal(optional, plugins.Optional) {
		t.Errorf("got %q, want plugins.Optional: %q", optional, plugins.Optional)
	}
	for _, name := range optional {
		if has(name) || slices.Contains(names(), name) {
			t.Errorf("%s: is there without a plugin", name)
		}
	}
}
