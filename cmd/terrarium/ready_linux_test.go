package main

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

// What a pipe has room for is written on the spot, by whoever has it; what it
// has not, by the goroutine for that, and in order.
func TestOutputReadyPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	o := newOutput(w, io.Discard, core.RenderRaw, nil)
	o.write("", 1, []byte("small ")) // nobody runs o yet

	large := bytes.Repeat([]byte("0123456789"), 100_000)
	done := make(chan bool)
	go func() {
		o.write("", 1, large) // until run takes the rest
		o.write("", 1, []byte(" end"))
		o.finish()
		w.Close()
		close(done)
	}()
	go o.run(new(console)) // until finish
	got := make([]byte, len("small ")+len(large)+len(" end"))
	if _, err := io.ReadFull(r, got); err != nil {
		t.Fatal(err)
	}
	<-done
	if want := "small " + string(large) + " end"; string(got) != want {
		t.Errorf("got %d bytes that are not what was written", len(got))
	}
	if err := o.result(); err != nil {
		t.Error(err)
	}
}

// The end of a reader ends the output.
func TestOutputReadyPipeBroken(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	o := newOutput(w, io.Discard, core.RenderRaw, nil)
	o.write("", 1, []byte("x"))
	<-o.broken
	if err := o.result(); err == nil || err.Error() != "write |1: broken pipe" {
		t.Errorf("got %v, want a broken pipe", err)
	}
}
