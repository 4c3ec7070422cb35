package proxy

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// An agent is a process that speaks on its standard input and output.
type agent struct {
	driver *driver.Driver
	id     core.TerminalID
	gone   chan struct{} // closed when it has ended, and all that it has said was handled
	exit   core.Exit     // set before gone is closed
}

// startAgent starts an agent. What it writes goes to output, and to errors, a piece a time, and waits for them.
func startAgent(ctx context.Context, c driver.Config, command core.Command, output, errors func(p []byte)) (*agent, error) {
	a := &agent{gone: make(chan struct{})}
	c.OnOutput = func(_ core.TerminalID, stream uint8, p []byte) {
		if stream == 2 {
			errors(p)
			return
		}
		output(p)
	}
	a.driver = driver.New(c)
	command.Pty, command.Interactive, command.OutputByteLimit, command.Timeout = false, true, -1, -1
	var err error
	if a.id, err = a.driver.Create(ctx, "", command); err != nil {
		a.driver.Close()
		return nil, err
	}
	go func() { // ends with the agent, which Close of the driver ends
		a.exit, _ = a.driver.WaitForExit(context.Background(), a.id)
		close(a.gone)
	}()
	return a, nil
}

// inputPiece is how much is handed to an agent at a time, in bytes: less than a driver keeps.
const inputPiece = 256 << 10

// Write hands p to the agent and waits for it to read when much of what was written is unread. One
// goroutine may call it at a time.
func (a *agent) Write(p []byte) (n int, err error) {
	for n < len(p) {
		next := p[n:min(len(p), n+inputPiece)]
		err = a.driver.Write(a.id, next)
		switch {
		case errors.Is(err, core.ErrInputFull):
			if err = a.driver.Flush(context.Background(), a.id); err != nil { // it ends with the agent
				return n, err
			}
			continue
		case err != nil:
			return n, io.ErrClosedPipe
		}
		n += len(next)
	}
	return n, nil
}

// closeLimit is how long it may take until nothing is left of an agent, its grace included. What it has
// written may still wait for a reader then.
const closeLimit = 10 * time.Second

// close ends the agent and what it has started, and reports whether all that it has said was handled.
func (a *agent) close() bool {
	closed := make(chan struct{})
	go func() { // is left behind where a reader does not read
		a.driver.Close()
		close(closed)
	}()
	select {
	case <-closed:
		return true
	case <-time.After(closeLimit):
		return false
	}
}
