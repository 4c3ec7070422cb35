package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A stubborn is a host that starts its one command although a signal comes meanwhile, and a process
// that ends with a signal of its own.
type stubborn struct {
	driver.Process
	signals chan<- os.Signal
	late    bool // it starts after it was given up

	once   sync.Once
	killed chan struct{}
	closed chan struct{}
}

func (s *stubborn) Resolve(_ context.Context, c core.Command) (core.Exec, error) {
	return core.Exec{Command: c, Path: "/bin/" + c.Command, Argv: []string{c.Command}, Via: core.ViaArgs}, nil
}

func (s *stubborn) Start(ctx context.Context, _ core.Exec) (driver.Process, error) {
	s.signals <- syscall.SIGTERM
	if s.late {
		<-ctx.Done()
	}
	return s, nil
}

func (s *stubborn) Output(func(uint8, []byte)) error {
	<-s.killed
	return nil
}

func (s *stubborn) Wait() (core.Exit, error) {
	<-s.killed
	return core.Exit{Status: core.ExitStatus{Signal: "SIGTERM"}}, nil
}

func (s *stubborn) Signal(string) error {
	s.once.Do(func() { close(s.killed) })
	return nil
}

func (s *stubborn) Close() error {
	s.Signal("SIGKILL")
	close(s.closed)
	return nil
}

// TestSignalWhileStarting: whether a signal comes before a command has started, just then, or after
// it was given up, run exits by it, and nothing is left.
func TestSignalWhileStarting(t *testing.T) {
	for _, late := range []bool{false, true} {
		for range 200 {
			signals := make(chan os.Signal, 4)
			h := &stubborn{signals: signals, late: late, killed: make(chan struct{}), closed: make(chan struct{})}
			c := core.Command{Command: "stubborn", Rows: 24, Cols: 80}
			r := &runner{
				driver: driver.New(driver.Config{Host: h}), console: new(console),
				output: newOutput(io.Discard, io.Discard, core.RenderRaw, &c), links: new(links),
			}
			err := r.start(c, signals)
			gaveUp := err != nil
			if !gaveUp {
				r.wait()
				err = r.status(0)
			}
			if !errors.Is(err, exitStatus(143)) || late && !gaveUp {
				t.Fatalf("late %v: got %v, given up %v, want exit status 143", late, err, gaveUp)
			}
			r.driver.Close()
			<-h.closed
			signal.Stop(signals)
		}
	}
}
