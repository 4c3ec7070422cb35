package main

import (
	"errors"
	"io"
	"os"
)

// errGaveUp is what a patient says when nobody waits for it any longer.
var errGaveUp = errors.New("given up")

// A patient writes to one of our own streams. What the stream takes at once is
// written on the spot. The rest is handed to the output's goroutine, since a
// write that waits for a reader cannot be given up, but who waits for it can.
type patient struct {
	output *output
	w      io.Writer
	ready  *readyFile // the same stream, or nil if each write may have to wait
	// what is handed over: the bytes are lent, and a write that was given up goes on
	buf []byte
}

// waiting is a write that may have to wait.
type waiting struct {
	to   io.Writer
	p    []byte
	done chan<- error // has room for one
}

func newPatient(o *output, w io.Writer) *patient {
	p := &patient{output: o, w: w}
	if f, ok := w.(*os.File); ok {
		p.ready = newReadyFile(f)
	}
	return p
}

func (p *patient) Write(b []byte) (n int, err error) {
	select {
	case <-p.output.gaveUp:
		return 0, errGaveUp // and buf may still be written
	default:
	}
	if p.ready != nil {
		if n, err = p.ready.write(b); n == len(b) || err != nil {
			return n, err
		}
	}
	p.buf = append(p.buf[:0], b[n:]...)
	done := make(chan error, 1)
	select {
	case p.output.writes <- waiting{p.w, p.buf, done}:
	case <-p.output.gaveUp:
		return n, errGaveUp
	}
	select {
	case err := <-done:
		return len(b), err
	case <-p.output.gaveUp:
		return n, errGaveUp
	}
}
