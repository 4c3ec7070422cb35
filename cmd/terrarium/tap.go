package main

import (
	"context"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A tap is a Host for one command. It tells what the driver keeps to itself:
// when input was taken, when output has ended, and when nothing is left.
type tap struct {
	driver.Host
	console *console // put in order again should the driver panic

	process driver.Process // set once Create has returned
	taken   chan error     // what each Write returned
	ended   chan struct{}  // closed at the end of output
	gone    chan struct{}  // closed after Close
}

func newTap(h driver.Host, c *console) *tap {
	return &tap{Host: h, console: c, taken: make(chan error, 1), ended: make(chan struct{}), gone: make(chan struct{})}
}

// Start implements driver.Host.
func (t *tap) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	p, err := t.Host.Start(ctx, e)
	if err != nil {
		return nil, err
	}
	t.process = p
	return &tapped{p, t}, nil
}

// tapped is the process of a tap.
type tapped struct {
	driver.Process
	tap *tap
}

func (p *tapped) Output(sink func(stream uint8, p []byte)) error {
	defer p.tap.console.guard()
	defer close(p.tap.ended)
	return p.Process.Output(sink)
}

func (p *tapped) Write(b []byte) (int, error) {
	n, err := p.Process.Write(b)
	select {
	case p.tap.taken <- err:
	default: // nobody waits for it
	}
	return n, err
}

// Close is called once.
func (p *tapped) Close() error {
	defer close(p.tap.gone)
	return p.Process.Close()
}
