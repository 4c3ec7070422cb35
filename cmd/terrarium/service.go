package main

import (
	"context"
	"os"
	"syscall"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A service is what the commands of clients run with: those of serve, proxy and mcp.
type service struct {
	ctx    context.Context // ends with a signal, which is its cause
	driver driver.Config
	trail  *trail // nil if nothing is recorded

	closers []func() // called from the last to the first
}

// forClients makes c, which has what the flags say, what every command of a client gets.
func (f *commandFlags) forClients(c *core.Command) (err error) {
	c.Pty = !f.pipe
	c.OutputByteLimit = 0 // the request's, or else the machine's default
	if c.Cwd == "" {
		c.Cwd, err = os.Getwd()
	}
	if f.host == "wasm" && len(f.mounts) == 0 {
		c.Roots = []string{c.Cwd} // what a session hands over that was not opened
	}
	return err
}

// service opens all that commands of clients need, which get c. stdio says that a client speaks on our
// standard streams. ways are how a client can be asked; ours are added.
func (f *commandFlags) service(c *core.Command, stdio bool, ways ask.Config) (_ *service, err error) {
	if err := checkDir(c.Cwd); err != nil {
		return nil, err
	}
	s := new(service)
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	host, err := f.open(c, 0)
	if err != nil {
		return nil, err
	}
	s.later(func() { host.Close() })
	trace, err := createTrace(f.trace)
	if err != nil {
		return nil, err
	}
	s.later(trace.close)
	trail, err := f.audit.open()
	if err != nil {
		return nil, err
	}
	s.later(trail.close)
	s.trail = trail
	machine := f.config(trace)
	machine.OutputByteLimit = int64(f.limit)
	if f.limit == 0 {
		machine.OutputByteLimit = -1 // 0 stands for the default
	}

	ctx, cancel := untilSignal()
	s.ctx = ctx
	preparing := make(chan struct{})
	go func() { // ends with ctx
		prepare(ctx, host)
		close(preparing)
	}()
	s.later(func() {
		cancel()
		<-preparing
	})
	if !stdio || !isTerminal(os.Stdin) { // else what is typed there is the peer's
		ways.Person = askPerson()
	}
	judge, err := f.judge(false, ways, append(c.Roots, c.Cwd)...)
	if err != nil {
		return nil, err
	}
	s.later(judge.close)
	s.driver = trail.wrap(driver.Config{Host: host, Core: machine, Decide: judge.decider()})
	return s, nil
}

func (s *service) later(f func()) { s.closers = append(s.closers, f) }

// close ends what service has opened.
func (s *service) close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
}

// untilSignal returns a context that ends when a signal asks us to end, with that as its cause.
func untilSignal() (_ context.Context, cancel func()) {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	startDefault()
	go func() { // left behind when we exit
		s := <-signals
		notice("ending every terminal: " + s.String())
		end(exitStatus(statusSignal + int(s.(syscall.Signal))))
	}()
	return ctx, func() { end(nil) }
}
