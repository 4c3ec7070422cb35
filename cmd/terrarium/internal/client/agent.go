package client

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

const (
	maxUnread  = 64 << 20        // bytes that the agent may leave unread
	maxQueued  = 16 << 20        // bytes of answers after which it has to have read them
	leaveGrace = 2 * time.Second // how long it may take to end when its input has
	// Bytes of what it says on standard error that are kept, the newest.
	maxStderr   = 8 << 10
	maxNameShow = 80 // bytes of its command line that tell which agent it was
)

// An agent is a process that speaks lines on its standard input and output.
type agent struct {
	driver *driver.Driver
	term   *driver.Terminal
	ready  chan struct{} // closed when term is set
	gone   chan struct{} // closed when it has ended, and all that it has said was handled
	exit   core.Exit     // set before gone is closed

	lines jsonrpc.Lines // of what it says

	mu     sync.Mutex // guards the fields below
	stderr []byte
	queued int // bytes that reply has queued since it last waited
}

// startAgent starts an agent. line is called with each line that it writes, which is lent, or with
// nil for one that is too long; the agent waits for it.
func startAgent(ctx context.Context, c driver.Config, command core.Command, line func([]byte)) (*agent, error) {
	a := &agent{ready: make(chan struct{}), gone: make(chan struct{})}
	c.Core.MaxInput = max(c.Core.MaxInput, maxUnread)
	c.OnOutput = func(_ core.TerminalID, stream uint8, p []byte) {
		if stream == 2 {
			a.said(p)
			return
		}
		<-a.ready // who handles a line answers it
		for l := range a.lines.Split(p) {
			line(l)
		}
	}
	a.driver = driver.New(c)
	command.Pty, command.Interactive, command.OutputByteLimit, command.Timeout = false, true, -1, -1
	var err error
	if a.term, err = a.driver.Create(ctx, "", command); err != nil {
		a.term = a.driver.Terminal("") // none: what was printed before may be answered
	}
	close(a.ready)
	if err != nil {
		a.driver.Close()
		return nil, err
	}
	go func() { // ends with the agent, which close ends
		a.exit, _ = a.term.Wait(context.Background())
		close(a.gone)
	}()
	return a, nil
}

// said keeps the end of what the agent says on standard error.
func (a *agent) said(p []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stderr = append(a.stderr, p[max(0, len(p)-maxStderr):]...)
	a.stderr = a.stderr[max(0, len(a.stderr)-maxStderr):]
}

// lastWords is the end of what the agent has said on standard error.
func (a *agent) lastWords() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.ToValidUTF8(string(a.stderr), "\uFFFD")
}

// send queues a line for the agent. One that has ended, or reads nothing, does not get it: its end
// is told elsewhere.
func (a *agent) send(line []byte) { a.term.Write(line) }

// reply queues an answer. Where much is queued it waits until the agent has read it: one that asks
// and does not listen fills no memory.
func (a *agent) reply(line []byte) {
	a.send(line)
	a.mu.Lock()
	a.queued += len(line)
	full := a.queued > maxQueued
	if full {
		a.queued = 0
	}
	a.mu.Unlock()
	if full {
		a.term.Flush(context.Background())
	}
}

// Write returns when the agent has taken p, or never will.
func (a *agent) Write(p []byte) (int, error) {
	if _, err := a.term.Write(p); err != nil {
		return 0, err
	}
	if err := a.term.Flush(context.Background()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// leave ends the agent, which may end by itself before. It returns when nothing of it is left.
func (a *agent) leave() {
	a.term.CloseInput() // it may have ended
	select {
	case <-a.gone:
	case <-time.After(leaveGrace):
	}
	a.end()
}

// end ends the agent and returns when nothing of it is left.
func (a *agent) end() {
	closed := make(chan struct{})
	go func() { // is left behind where a View does not take what the agent has said
		a.driver.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closeLimit):
	}
}

// closeLimit is how long it may take until nothing is left of an agent.
const closeLimit = 10 * time.Second

// commandName is a command line, or its beginning.
func commandName(c core.Command) string {
	return clip(strings.Join(append([]string{c.Command}, c.Args...), " "), maxNameShow)
}

// clip shortens s to about n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
