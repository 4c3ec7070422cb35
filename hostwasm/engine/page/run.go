//go:build js

package page

import (
	"errors"
	"fmt"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// A guest is one instance under way.
type guest struct {
	id      int32
	program *program
	config  *engine.RunConfig
	granted uint64 // the memory that it may have, in bytes
	err     error  // what ended it, if that was ours

	// started is closed when there is an instance.
	started chan struct{}
	// wake has a value when the goroutine in Run has something to do: a call that
	// waits, or the end.
	wake chan struct{}
	call *engine.Func // nil at the end
	args []uint64
	size uint64 // of its memory, in bytes

	// How it has ended.
	how     int32
	text    string
	left    int64
	refused bool
}

// How a guest has ended, in pageEnded.
const (
	returned = 0 // _start has
	thrown   = 1 // by us: guest.err says why
	trapped  = 2 // or it could not be started; the text says why
	crowded  = 3 // there was no room for its memory: it has not started
	noStart  = 4 // it has no _start
	large    = 5 // its memory may not be as large as it starts with
)

var (
	guests    = map[int32]*guest{}
	lastGuest int32
)

// errBug is how a guest ends when we and the glue disagree.
var errBug = errors.New("the page has lost track of the guest")

// Run implements engine.Program.
func (p *program) Run(c engine.RunConfig) error {
	run, err := p.Start(c, nil)
	if err != nil {
		return err
	}
	return run()
}

var _ engine.Starter = (*program)(nil)

// Start implements engine.Starter.
func (p *program) Start(c engine.RunConfig, stop <-chan struct{}) (run func() error, err error) {
	if p.pages<<16 > c.MaxMemory {
		return func() error { return engine.ErrMemory }, nil
	}
	lastGuest++
	g := &guest{id: lastGuest, program: p, config: &c, started: make(chan struct{}), wake: make(chan struct{}, 1)}
	guests[g.id] = g
	jsStart(g.id, p.id)
	select {
	case <-g.started:
	case <-g.wake: // the end
		g.notify()
	case <-stop:
		if jsAbandon(g.id) {
			g.how = crowded
		}
	}
	if g.how == crowded {
		g.forget()
		return nil, engine.ErrTooMany
	}
	return g.run, nil
}

func (g *guest) forget() {
	delete(guests, g.id)
	latest = nil
}

// run makes the calls that wait, until the guest has ended.
func (g *guest) run() error {
	defer g.forget()
	for range g.wake {
		if g.call == nil {
			break
		}
		g.wait()
	}
	if done := g.config.Done; done != nil && g.how != noStart && g.how != large {
		done(g.left, g.refused)
	}
	return g.reason()
}

// wait makes the call that the guest waits for.
func (g *guest) wait() {
	f := g.call
	g.call = nil
	m := newMemory(g.id, g.size)
	err := f.Call(g.config.Guest, m.Memory, g.args)
	m.free()
	if err != nil {
		g.err = err
		jsResume(g.id, ended, 0)
		return
	}
	jsResume(g.id, done, g.args[0])
}

// reason returns what Run returns.
func (g *guest) reason() error {
	switch {
	case g.err != nil:
		return g.err
	case g.how == returned:
		return nil
	case g.how == large:
		return engine.ErrMemory
	case g.how == noStart:
		return errors.New("the module exports no _start")
	case g.how == trapped:
		return trap(g.text)
	}
	return fmt.Errorf("%w: %d", errBug, g.how)
}

// pageStarted is called once for each guest for which there was room, before
// anything else is of it.
//
//go:wasmexport page_started
func pageStarted(guest int32) {
	if g := guests[guest]; g != nil {
		close(g.started)
	}
	leave()
}

// pageEnded is called once for each guest, when it has ended: with the fuel that
// is left, whether memory.grow was refused, and n bytes of text.
//
//go:wasmexport page_ended
func pageEnded(guest, how int32, left int64, refused, n int32) {
	if g := guests[guest]; g != nil {
		g.how, g.left, g.refused, g.text, g.call = how, left, refused != 0, text(n), nil
		g.notify()
	}
	leave()
}

// notify has the goroutine in Run see what there is to do. An export may not
// block, and does not: a guest that waits does nothing else meanwhile.
func (g *guest) notify() bool {
	select {
	case g.wake <- struct{}{}:
		return true
	default:
		return false
	}
}
