package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/challenge"
	"github.com/terrarium-dev/terrarium/core/driver/harness"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// TestViewFrame draws a screen where there is less place than it needs: what is
// seen is what goes on.
func TestViewFrame(t *testing.T) {
	v := &view{shown: newDrawing(40, 160, true), title: "turn 1:\x1b[31m it lists", fresh: true,
		since: time.Now().Add(time.Hour), // the time that it takes does not show
	}
	person := vt.NewScreen(vt.Options{Rows: 10, Cols: 20})
	show := func(cols, rows int) []string {
		t.Helper()
		person.Resize(rows, cols)
		person.Write(v.frame(cols, rows))
		if v.frame(cols, rows) != nil {
			t.Error("draws again what has not changed")
		}
		return strings.Split(strings.TrimRight(string(person.AppendText(nil)), "\n"), "\n")
	}
	v.output([]byte("first"))
	if got := show(20, 10); len(got) != 2 || got[0] != "turn 1: [31m it list" || got[1] != "first" {
		t.Errorf("got %q, want a line of the title and one of the screen", got)
	}
	for i := range 30 {
		v.output(fmt.Appendf(nil, "\nline %d", i))
	}
	for _, rows := range []int{10, 5, 2} { // the person makes it smaller
		got := show(20, rows)
		if len(got) != rows || got[rows-1] != "line 29" {
			t.Errorf("%d rows: got %q, want them to end with the last line", rows, got)
		}
	}
	if got := show(20, 40); len(got) != 32 || got[1] != "first" {
		t.Errorf("got %q, want all of it", got)
	}
}

// TestTurnLine: a turn is one line of bounded length that a terminal does not obey.
func TestTurnLine(t *testing.T) {
	for _, test := range []struct {
		result  challenge.Result
		claimed bool
		want    string
	}{
		{challenge.Result{Plan: "look\naround", Commands: []challenge.Command{{Keystrokes: "ls\n"}, {Keystrokes: "C-c"}}}, false, "turn 3: look around: ls⏎C-c"},
		{challenge.Result{Plan: "p", Error: "no JSON"}, false, "turn 3: no JSON"},
		{challenge.Result{Plan: "p", Complete: true}, false, "turn 3: p (says that it is done)"},
		{challenge.Result{Plan: "p", Complete: true}, true, "turn 3: p (sure that it is done)"},
		{challenge.Result{Plan: "p"}, true, "turn 3: p"},
		{challenge.Result{Plan: "\x1b]0;t\a", Commands: []challenge.Command{{Keystrokes: "\x1b[A"}}}, false, `turn 3: \x1b]0;t\a: \x1b[A`},
	} {
		got := turnLine(harness.Turn{Request: harness.Request{Step: 3}, Result: test.result}, test.claimed)
		if got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	long := challenge.Result{Plan: strings.Repeat("世", 1<<20), Commands: make([]challenge.Command, 1000)}
	for i := range long.Commands {
		long.Commands[i].Keystrokes = strings.Repeat("x", 1<<10)
	}
	if got := turnLine(harness.Turn{Result: long}, false); len(got) > 2*maxTurnLine || !utf8.ValidString(got) {
		t.Errorf("got %d bytes: %.50q", len(got), got)
	}
}
