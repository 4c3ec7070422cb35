package lossy_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/lossy"
)

// TestNobodyReads: who writes does not wait, and neither does Close for long.
func TestNobodyReads(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	l := lossy.New(w, "note")
	for range 100 {
		l.Write(make([]byte, 4<<10))
	}
	l.Close()
}

// TestLeftOut: what is too much is told of, also where nothing else was written.
func TestLeftOut(t *testing.T) {
	var b bytes.Buffer
	l := lossy.New(&b, "note")
	l.Write([]byte(strings.Repeat("x", 1<<20)))
	l.Close()
	if b.String() != "\nnote\n" {
		t.Errorf("got %.100q", b.String())
	}
}
