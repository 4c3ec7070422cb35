package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// TestViewFrame draws a screen where there is less place than it needs: what is
// seen is what goes on.
func TestViewFrame(t *testing.T) {
	v := &view{screen: vt.NewScreen(vt.Options{Rows: 40, Cols: 160, Newline: true}), title: "turn 1:\x1b[31m it lists", fresh: true}
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
