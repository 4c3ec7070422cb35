package wasi

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A Process is what a running command may ask for and has asked for: the guest
// of [Funcs]. One goroutine calls those functions; Interrupt and Idle
// alone may be called by others.
type Process struct {
	args, env []string
	files     Files
	dir       string // absolute
	fds       table
	clock     Clock
	started   time.Duration // on the monotonic clock
	random    io.Reader
	output    *Quota
	memory    Memory // nil if nobody counts
	spawner   Spawner
	children  atomic.Int32 // that run
	terminal  *Terminal    // that it leads, or nil
	processes Processes    // nil if it can see none
	http      func(*Exchange) error
	modes     FileModes
	fuel      func(n int64) error // Limits.Fuel, or nil
	steps     int                 // that names have taken and that are not yet charged

	stop atomic.Pointer[end] // why the guest must end
	wake waker
	idle atomic.Bool // it is in park
	wait vfs.Wait    // await, for file systems
	// timer is for park, and nil before the first use.
	timer *time.Timer

	// trying is set while a call must not wait: see engine.Func.Try.
	trying bool

	watched []stream      // by the poll_oneoff that is under way
	gather  [pipeBuf]byte // what is written in one go, but lies in pieces
}

// Interrupt ends the guest: whatever it waits for now, and everything it asks
// for later, fails with err, which is what running it returns. The first err
// counts. Safe for concurrent use.
func (p *Process) Interrupt(err error) {
	p.stop.CompareAndSwap(nil, &end{err})
	p.wake.wake()
}

// interrupted returns an end after Interrupt.
func (p *Process) interrupted() error {
	if e := p.stop.Load(); e != nil {
		return *e
	}
	return nil
}

// Idle reports whether the guest waits for something. Safe for concurrent use.
func (p *Process) Idle() bool { return p.idle.Load() }

// Close closes all descriptors, so that the other sides of pipes learn that
// the process is gone, and kills its children. The guest must have ended.
func (p *Process) Close() {
	for i := range p.fds.entries {
		if f := p.fds.entries[i].file; f != nil {
			p.settle(f) // nobody is left to be told of an error
		}
	}
	p.fds.closeAll()
}

// await is a vfs.Wait.
func (p *Process) await(f func()) error {
	if p.trying {
		return engine.ErrWait
	}
	done := make(chan struct{})
	go func() { // ends with f, which the process need not wait for
		f()
		close(done)
		p.wake.wake()
	}()
	for {
		select {
		case <-done:
			return nil
		default:
		}
		if p.interrupted() != nil {
			return errno.INTR
		}
		p.park(forever)
	}
}

// forever is for park.
const forever time.Duration = -1

// park sleeps until something wakes p, or d is over: it returns true then. It
// may wake for nothing.
func (p *Process) park(d time.Duration) (over bool) {
	p.idle.Store(true)
	defer p.idle.Store(false)
	if d < 0 {
		<-p.wake
		return false
	}
	if p.timer == nil {
		p.timer = time.NewTimer(d)
	} else {
		p.timer.Reset(d)
	}
	select {
	case <-p.wake:
		p.timer.Stop()
		return false
	case <-p.timer.C:
		return true
	}
}
