package driver_test

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

var (
	errNotFound  = errors.New("no such command")
	errNoProcess = errors.New("no more processes")
)

// host runs commands that exist only in memory, named for what they do:
//
//	print TEXT N     write TEXT N times and exit
//	echo             write what is read
//	sleep            exit on SIGTERM
//	stubborn         exit on SIGKILL only
//	stuck            exit on nothing
//	unresolved, unstartable, slow-resolve, slow-start, stubborn-start
type host struct{}

func (host) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	switch c.Command {
	case "unresolved":
		return core.Exec{}, errNotFound
	case "slow-resolve":
		<-ctx.Done()
		return core.Exec{}, ctx.Err()
	}
	return core.Exec{Path: "/" + c.Command, Argv: append([]string{c.Command}, c.Args...), Via: core.ViaArgs}, nil
}

func (host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	switch e.Command.Command {
	case "unstartable":
		return nil, errNoProcess
	case "slow-start":
		<-ctx.Done()
		return nil, ctx.Err()
	case "stubborn-start":
		<-ctx.Done()
		time.Sleep(time.Minute) // past the point of return
	}
	p := &process{exec: e, exited: make(chan struct{}), closed: make(chan struct{}), input: make(chan []byte)}
	return p, nil
}

type process struct {
	exec   core.Exec
	input  chan []byte
	exited chan struct{}
	closed chan struct{}

	mu   sync.Mutex // guards the closing of the channels and exit
	exit core.Exit
}

func (p *process) end(e core.ExitStatus) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.exited:
	default:
		p.exit.Status = e
		close(p.exited)
	}
}

func (p *process) Output(sink func(uint8, []byte)) error {
	switch p.exec.Command.Command {
	case "print":
		n, _ := strconv.Atoi(p.exec.Argv[2])
		for range n {
			sink(1, []byte(p.exec.Argv[1]))
		}
		p.end(core.ExitStatus{})
	case "echo":
		for {
			select {
			case b := <-p.input:
				sink(2, b)
				continue
			case <-p.exited:
			case <-p.closed:
			}
			return nil
		}
	}
	select {
	case <-p.exited:
	case <-p.closed:
	}
	return nil
}

func (p *process) Write(b []byte) (int, error) {
	select {
	case p.input <- b:
		return len(b), nil
	case <-p.exited:
	case <-p.closed:
	}
	return 0, io.ErrClosedPipe
}

func (p *process) CloseInput() error {
	if p.exec.Command.Command == "echo" {
		p.end(core.ExitStatus{})
	}
	return nil
}

func (p *process) Resize(rows, cols int) error { return nil }

func (p *process) Signal(name string) error {
	switch command := p.exec.Command.Command; {
	case name == "SIGCONT", command == "stuck", command == "stubborn" && name != "SIGKILL":
	default:
		p.end(core.ExitStatus{Signal: name})
	}
	return nil
}

func (p *process) Wait() (core.Exit, error) {
	select {
	case <-p.exited:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.exit, nil
	case <-p.closed:
		return core.Exit{}, io.ErrClosedPipe
	}
}

func (p *process) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}
