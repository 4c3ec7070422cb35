package trypipe_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/trypipe"
)

// What a pipe takes without waiting arrives, and the rest is left to Write. A file on which a write
// might wait is not tried.
func TestTryWrite(t *testing.T) {
	r, f, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w := trypipe.NewWriter(f)
	all := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	n := w.TryWrite(all)
	if n == 0 || n == len(all) {
		t.Fatalf("got %d of %d bytes written, want a part", n, len(all))
	}
	if more := w.TryWrite(all); more != 0 {
		t.Errorf("got %d bytes written to a pipe that is full, want none", more)
	}
	go func() { // ends with the pipe
		w.Write(all[n:])
		w.Close()
	}()
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, all) {
		t.Errorf("got %d other bytes, and %v", len(got), err)
	}
	if n := w.TryWrite(all); n != 0 {
		t.Errorf("got %d bytes written to a pipe that is closed, want none", n)
	}

	r, f, err = os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer f.Close()
	f.Fd() // makes it blocking
	if n := trypipe.NewWriter(f).TryWrite([]byte("x")); n != 0 {
		t.Errorf("got %d bytes written to a pipe that blocks, want none", n)
	}
}
