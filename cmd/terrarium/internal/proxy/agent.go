package proxy

import (
	"context"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// An agent is a process that speaks on its standard input and output.
type agent struct {
	driver *driver.Driver
	host   *holding
	term   *driver.Terminal
	gone   chan struct{} // closed when it has ended, and all that it has said was handled
	exit   core.Exit     // set before gone is closed
}

// startAgent starts an agent. What it writes goes to output, and to errors, a piece a time, and
// waits for them. With an error, the agent's driver is the caller's to close.
func startAgent(ctx context.Context, c driver.Config, command core.Command, output, errors func(p []byte)) (*agent, error) {
	a := &agent{host: &holding{Host: c.Host}, gone: make(chan struct{})}
	c.Host = a.host
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
	if a.term, err = a.driver.Create(ctx, "", command); err != nil {
		return a, err
	}
	go func() { // ends with the agent, which Close of the driver ends
		a.exit, _ = a.term.Wait(context.Background())
		close(a.gone)
	}()
	return a, nil
}

// Write returns when the agent has taken p, or can't any more.
func (a *agent) Write(p []byte) (int, error) { return a.host.process.Write(p) }

// A holding is a Host that keeps the process that it starts: what goes to the agent is written to
// it at once, where a driver would queue it, and has a goroutine for that.
type holding struct {
	driver.Host
	process driver.Process // set when the driver has started it
}

func (h *holding) Start(ctx context.Context, e core.Exec) (p driver.Process, err error) {
	p, err = h.Host.Start(ctx, e)
	h.process = p
	return p, err
}

// closeLimit is how long it may take until nothing is left of an agent, its grace included. What it
// has written may still wait for a reader then.
const closeLimit = 10 * time.Second

// close ends the agent and what it has started, and reports whether all that it has said was
// handled.
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
