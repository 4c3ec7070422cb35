package main

import (
	"io"
	"os"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
)

// While something is drawn, what a place says waits, and what a person may have to act on does not.
func TestWarnedAtOnce(t *testing.T) {
	box, err := place.Parse("ssh:box")
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = w
	var l links
	l.redrawBy(func() {})
	l.show("box says: hello")
	l.warn(drainLine(box, "one\x1b[2J", "5m0s"))
	l.drawn()
	os.Stderr = stderr
	w.Close()
	got, err := io.ReadAll(r)
	if want := "terrarium: ssh:box: worker one\\x1b[2J is to end: it takes no new sessions, and keeps this one for 5m0s\n" +
		"terrarium: box says: hello\n"; err != nil || string(got) != want {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
}
