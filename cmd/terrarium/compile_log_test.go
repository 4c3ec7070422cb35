package main

import (
	"fmt"
	"testing"
)

// Commands may have as many modules as they like that can't be loaded: what was changed is shown
// all the same, and each line once.
func TestCompileLogKinds(t *testing.T) {
	const loads, changed = "can't be loaded", "is not used"
	l := new(compileLog)
	shown := 0
	for i := range 10 * maxCompileWarnings {
		if l.isNew(loads, fmt.Sprintf("module%d: %s", i, loads)) {
			shown++
		}
	}
	if shown != maxCompileWarnings {
		t.Errorf("%d lines of one kind are shown, want %d", shown, maxCompileWarnings)
	}
	for i, want := range []bool{true, false} {
		if got := l.isNew(changed, "bash: "+changed); got != want {
			t.Errorf("time %d: whether it is shown that a module was changed: got %v, want %v", i+1, got, want)
		}
	}
}
