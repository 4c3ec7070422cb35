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
	judge  *judge
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

// service opens all that commands of clients need, which get c. stdio says that a client speaks on
// our standard streams. ways are how a client can be asked; ours are added. The service lasts until
// a signal comes.
func (f *commandFlags) service(c *core.Command, stdio bool, ways ask.Config) (*service, error) {
	ctx, cancel := untilSignal()
	if !stdio || !isTerminal(os.Stdin) { // else what is typed there is the peer's
		ways.Person = askPerson()
	}
	return f.serviceUntil(ctx, cancel, c, ways)
}

// serviceUntil is service for who ends it by cancel, which ends ctx. It is called in the end, in
// any case.
func (f *commandFlags) serviceUntil(ctx context.Context, cancel func(), c *core.Command, ways ask.Config) (_ *service, err error) {
	s := &service{ctx: ctx}
	s.later(cancel)
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if f.place == nil {
		if err := checkDir(c.Cwd); err != nil {
			return nil, err
		}
	}
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

	preparing := make(chan struct{})
	go func() { // ends with ctx
		prepare(ctx, host)
		close(preparing)
	}()
	s.later(func() {
		cancel()
		<-preparing
	})
	judge, err := f.judge(false, ways, append(c.Roots, c.Cwd)...)
	if err != nil {
		return nil, err
	}
	s.judge = judge
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
