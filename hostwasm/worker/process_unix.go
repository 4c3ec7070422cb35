//go:build linux || darwin

package worker

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// A process is a driver.Process: a command in a worker, and its streams.
type process struct {
	*command
	in    *os.File
	outs  []*os.File // standard output and, without a pty, error
	keys  bool       // it has an interactive terminal
	typed atomic.Uint64

	sink    sync.Mutex // one call of sink at a time
	holding atomic.Int64

	closed atomic.Bool
}

var (
	_ driver.Process = (*process)(nil)
	_ driver.Pender  = (*process)(nil)
	_ driver.Placer  = (*process)(nil)
)

// newProcess returns a process, and its streams for the worker.
func newProcess(c *command, pty, interactive bool) (p *process, files []*os.File, err error) {
	p = &process{command: c, keys: pty && interactive}
	defer func() {
		if err != nil {
			closeAll(files)
			p.closeStreams()
		}
	}()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	p.in, files = w, append(files, r)
	outputs := 2
	if pty {
		outputs = 1
	}
	for range outputs {
		if r, w, err = os.Pipe(); err != nil {
			return nil, files, err
		}
		p.outs, files = append(p.outs, r), append(files, w)
	}
	return p, files, nil
}

// Place implements driver.Placer, with its worker's id.
func (p *process) Place() (pid int, cgroup string) { return p.child.process.Pid, "" }

// Write implements driver.Process.
func (p *process) Write(b []byte) (int, error) {
	p.typed.Add(uint64(len(b))) // before anybody can have taken it
	n, err := p.in.Write(b)
	switch {
	case err == nil:
		return n, nil
	case p.closed.Load() || errors.Is(err, os.ErrClosed):
		return n, errClosed
	}
	return n, fmt.Errorf("hostwasm/worker: standard input: %w", err)
}

// CloseInput implements driver.Process.
func (p *process) CloseInput() error {
	if p.closed.Load() {
		return errClosed
	}
	p.in.Close() // a second time is harmless
	return nil
}

// Resize implements driver.Process.
func (p *process) Resize(rows, cols int) error {
	if p.closed.Load() {
		return errClosed
	}
	p.send(&message{Size: &size{rows, cols}}) // an error means that it has gone
	return nil
}

// Raw, Foreground and Reading are as those of package hostwasm's. Raw and Reading
// ask the worker.
func (p *process) Raw() bool {
	if !p.keys {
		return false
	}
	t := p.look()
	return t != nil && t.Raw
}

func (p *process) Foreground() bool { return p.keys }

func (p *process) Reading() (reading, known bool) {
	if !p.keys {
		return false, false
	}
	// Since a command goes on waiting until it gets more, an answer that came
	// late is as good.
	t := p.look()
	return t != nil && t.Reading && t.Taken == p.typed.Load(), true
}

// Signal implements driver.Process.
func (p *process) Signal(name string) error {
	switch {
	case !hostwasm.IsSignal(name):
		return fmt.Errorf("signal %q: %w", name, errors.ErrUnsupported)
	case p.closed.Load():
		return errClosed
	}
	if name == "SIGKILL" { // first, for the worker may not listen
		p.child.markKilled(p.command)
		go p.insist(p.exited) // ends with the command, or its worker
	}
	p.send(&message{Signal: name}) // an error means that it has gone
	return nil
}

// wallGrace is how much longer than Limits.Wall a command may take: its worker ends
// it, unless that is stuck.
const wallGrace = 5 * time.Second

// watch ends a command whose worker does not mind the time.
func (p *process) watch(wall time.Duration) {
	if wall <= 0 {
		return
	}
	over := make(chan struct{})
	defer p.child.waits.AfterFunc(wall+wallGrace, func() { close(over) })()
	select {
	case <-p.gone:
		return
	case <-over:
	}
	again := time.NewTicker(wallGrace)
	defer again.Stop()
	for {
		p.overdue()
		select {
		case <-p.gone:
			return
		case <-again.C:
		}
	}
}

// overdue ends a command whose time is over, unless it has ended and all that its
// worker waits for is that we read: it may have more than the pipes hold.
func (p *process) overdue() {
	if p.hasExited() && p.unread() > 0 {
		return
	}
	p.endWith(core.Exit{Status: killedExit.Status, Reason: core.ReasonTimeout})
	p.end() // an error means that it is left behind
}

// Wait implements driver.Process.
func (p *process) Wait() (core.Exit, error) {
	if p.closed.Load() {
		return core.Exit{}, errClosed
	}
	<-p.exited
	return p.exit, nil
}

// Close implements driver.Process. It fails if the worker is left behind.
func (p *process) Close() error {
	p.closed.Store(true)
	p.closeStreams()
	return p.end()
}

func (p *process) closeStreams() {
	closeAll(p.outs)
	if p.in != nil {
		p.in.Close()
	}
}
