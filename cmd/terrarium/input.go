package main

import (
	"context"
	"io"

	"github.com/terrarium-dev/terrarium/core/driver"
)

// input passes on what a person types or a file holds.
type input struct {
	term    *driver.Terminal
	console *console
}

// copy hands the command what comes on r, as fast as the command takes it, and
// then the end of input. It returns early if the command reads no more.
func (in *input) copy(r io.Reader) {
	defer in.console.guard()
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 && !in.send(buf[:n]) {
			return
		}
		if err != nil {
			break
		}
	}
	in.term.CloseInput()
}

// send returns when p was taken, or false when it never will be.
func (in *input) send(p []byte) bool {
	if _, err := in.term.Write(p); err != nil {
		return false
	}
	return in.term.Flush(context.Background()) == nil
}
