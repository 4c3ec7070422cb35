package paint_test

import (
	"slices"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/paint"
)

// TestWrap: rows are as many as the terminal takes, or a question that is withdrawn would take
// other lines along.
func TestWrap(t *testing.T) {
	for line, want := range map[string][]string{
		"":                  {""},
		"0123456789":        {"0123456789"},
		"0123456789a":       {"0123456789", "a"},
		"01234567 89a":      {"01234567 ", "89a"},
		"0 23456789a":       {"0 23456789", "a"},
		"012345 78 0a b cd": {"012345 78 ", "0a b cd"},
		"世界世界世界":            {"世界世界世", "界"},
		"a世界世界世界":           {"a世界世界", "世界"},
	} {
		if got := paint.Wrap(line, 10); !slices.Equal(got, want) {
			t.Errorf("Wrap(%q): got %q, want %q", line, got, want)
		}
	}
}
