package main

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// Each commit has a part, the same each time, and soon all parts have had their turn.
func TestTurn(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	seen := map[string]bool{}
	for i := range 100 {
		commit := fmt.Sprintf("%040x", i)
		turn := newTurn(commit)
		mine := turn.share("letters", 3, names)
		if len(mine) < 2 || len(mine) > 3 {
			t.Errorf("commit %s: got %q, want a third of %q", commit, mine, names)
		}
		if again := newTurn(commit).share("letters", 3, names); !slices.Equal(mine, again) {
			t.Errorf("commit %s: got %q and %q", commit, mine, again)
		}
		for _, name := range mine {
			seen[name] = true
		}
	}
	if len(seen) != len(names) {
		t.Errorf("of %q a hundred commits had only %v", names, seen)
	}
}

func TestTurnTells(t *testing.T) {
	turn := &turn{commit: "0123456789abcdef", number: 4}
	if got, want := turn.share("letters", 3, []string{"a", "b", "c", "d"}), []string{"b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var out bytes.Buffer
	turn.print(&out)
	if got, want := out.String(), "NOT THE TURN of 0123456789ab, but with TERRARIUM_LONG=1: letters: a, c, d\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// With TERRARIUM_LONG there is no turn, and everything runs.
func TestTurnOfAll(t *testing.T) {
	t.Setenv("TERRARIUM_LONG", "1")
	turn := commitTurn(t.Context())
	names := []string{"a", "b", "c"}
	if got := turn.share("letters", 3, names); !slices.Equal(got, names) {
		t.Errorf("got %q, want %q", got, names)
	}
	var out bytes.Buffer
	if turn.print(&out); out.Len() > 0 {
		t.Errorf("got %q, want nothing", &out)
	}
}
