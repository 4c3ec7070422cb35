package coretest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// hostPatience is how long a test waits for what must happen. Only a failing
// test waits that long.
const hostPatience = 2 * time.Minute

// A hostTest is one test of one host.
type hostTest struct {
	*testing.T
	host     driver.Host
	commands HostCommands
	pty      bool
	dir      string // where commands run, and all that they are handed
}

func newHostTest(t *testing.T, h HostTests, pty bool) *hostTest {
	return &hostTest{T: t, host: h.New(t), commands: h.Commands, pty: pty, dir: t.TempDir()}
}

// need returns what a test adds its own wishes to: c, which is skipped if it
// is missing, in the test's directory and mode.
func (h *hostTest) need(c core.Command) core.Command {
	h.Helper()
	if c.Command == "" {
		h.Skip("the host has no such command")
	}
	c.Pty, c.Rows, c.Cols = h.pty, 24, 80
	if c.Cwd == "" {
		c.Cwd = h.dir
	}
	c.Roots = append(c.Roots, h.dir)
	return c
}

// needWith is need for a command that takes an argument.
func needWith[T any](h *hostTest, f func(T) core.Command, arg T) core.Command {
	h.Helper()
	if f == nil {
		h.Skip("the host has no such command")
	}
	return h.need(f(arg))
}

func interactive(c core.Command) core.Command {
	c.Interactive = true
	return c
}

// startOnly starts c, and closes it when the test ends.
func (h *hostTest) startOnly(c core.Command) driver.Process {
	h.Helper()
	e, err := h.host.Resolve(context.Background(), c)
	if err != nil {
		h.Fatalf("Resolve(%q, %q): %v", c.Command, c.Args, err)
	}
	p, err := h.host.Start(context.Background(), e)
	if err != nil {
		h.Fatalf("Start(%q, %q): %v", e.Path, e.Argv, err)
	}
	h.Cleanup(func() {
		if err := p.Close(); err != nil {
			h.Errorf("Close: %v", err)
		}
	})
	return p
}

// A hostRun is a process whose output is collected and whose end is awaited.
type hostRun struct {
	driver.Process
	h *hostTest

	mu     sync.Mutex
	output [3][]byte     // by stream; 0 is all of them
	more   chan struct{} // holds a value when there is new output

	ended     chan struct{} // closed when Output has returned outputErr
	outputErr error

	exited  chan struct{} // closed when Wait has returned exit and exitErr
	exit    core.Exit
	exitErr error
}

func (h *hostTest) start(c core.Command) *hostRun {
	h.Helper()
	r := &hostRun{
		Process: h.startOnly(c),
		h:       h,
		more:    make(chan struct{}, 1),
		ended:   make(chan struct{}),
		exited:  make(chan struct{}),
	}
	go func() { // ends by Close
		r.outputErr = r.Output(r.sink)
		close(r.ended)
	}()
	go func() { // likewise
		r.exit, r.exitErr = r.Wait()
		close(r.exited)
	}()
	h.Cleanup(func() {
		r.Close()
		h.wait(r.ended, "Output after Close")
		h.wait(r.exited, "Wait after Close")
	})
	return r
}

func (r *hostRun) sink(stream uint8, p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if stream != 1 && stream != 2 {
		r.h.Errorf("got output on stream %d", stream)
		return
	}
	for _, s := range []uint8{0, stream} {
		r.output[s] = append(r.output[s], p...)
	}
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// text returns the output so far of a stream, or of all for 0.
func (r *hostRun) text(stream int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.output[stream])
}

// waitText waits until the output holds want.
func (r *hostRun) waitText(want string) {
	r.h.Helper()
	for timeout := time.After(hostPatience); !strings.Contains(r.text(0), want); {
		select {
		case <-r.more:
		case <-r.ended:
			if got := r.text(0); !strings.Contains(got, want) {
				r.h.Fatalf("output ended: got %.200q, want %q in it", got, want)
			}
		case <-timeout:
			r.h.Fatalf("after %v: got output %.200q, want %q in it", hostPatience, r.text(0), want)
		}
	}
}

// waitEnd waits for the end of output, and returns all of it.
func (r *hostRun) waitEnd() string {
	r.h.Helper()
	r.h.wait(r.ended, "the end of output")
	if r.outputErr != nil {
		r.h.Errorf("Output: got %v, want nil", r.outputErr)
	}
	return r.text(0)
}

// waitExit waits for the command to end.
func (r *hostRun) waitExit() core.ExitStatus {
	r.h.Helper()
	r.h.wait(r.exited, "the command's exit")
	if r.exitErr != nil {
		r.h.Fatalf("Wait: %v", r.exitErr)
	}
	return r.exit.Status
}

// wait waits until done is closed.
func (h *hostTest) wait(done <-chan struct{}, what string) {
	h.Helper()
	select {
	case <-done:
	case <-time.After(hostPatience):
		h.Fatalf("after %v: still waiting for %s", hostPatience, what)
	}
}

// finish waits until f has returned.
func (h *hostTest) finish(what string, f func()) {
	h.Helper()
	done := make(chan struct{})
	go func() {
		f()
		close(done)
	}()
	h.wait(done, what)
}
