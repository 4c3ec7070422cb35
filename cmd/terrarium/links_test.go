package main

import (
	"io"
	"os"
	"strings"
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
	l.flush()
	os.Stderr = stderr
	w.Close()
	got, err := io.ReadAll(r)
	if want := "terrarium: ssh:box: worker one\\x1b[2J is to end: it takes no new sessions, and keeps this one for 5m0s\n" +
		"terrarium: box says: hello\n"; err != nil || string(got) != want {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
}

// Who does not read what is told holds nobody up, and it is not kept for ever.
func TestToldUnread(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	stderr := os.Stderr
	os.Stderr = w
	defer func() { os.Stderr = stderr }()
	var l links
	long := strings.Repeat("x", 64<<10)
	for range 3 * maxQueuedLinks {
		l.warn(long)
	}
	if l.cutNow() != 0 || l.isLost() {
		t.Error("there is no connection, unexpectedly")
	}
	if n := len(l.queue); n != maxQueuedLinks {
		t.Errorf("got %d lines that wait, want %d", n, maxQueuedLinks)
	}
	go io.Copy(io.Discard, r) // ends with the test
	l.flush()
}
