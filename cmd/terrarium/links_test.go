package main

import (
	"io"
	"os"
	"testing"
)

// While something is drawn, what a place says waits, and what a person may have to act on does not.
func TestWarnedAtOnce(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = w
	var l links
	l.redrawBy(func() {})
	l.show("box says: hello")
	l.warned("box", "worker one is to end\x1b[2J")
	l.drawn()
	os.Stderr = stderr
	w.Close()
	got, err := io.ReadAll(r)
	if want := "terrarium: box: worker one is to end\\x1b[2J\nterrarium: box says: hello\n"; err != nil || string(got) != want {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
}
