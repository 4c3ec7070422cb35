package main

import (
	"context"
	"io"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// input passes on what a person types or a file holds.
type input struct {
	driver  *driver.Driver
	id      core.TerminalID
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
	in.driver.CloseInput(in.id)
}

// send returns when p was taken, or false when it never will be.
func (in *input) send(p []byte) bool {
	if in.driver.Write(in.id, p) != nil {
		return false
	}
	return in.driver.Flush(context.Background(), in.id) == nil
}
