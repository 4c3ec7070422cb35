//go:build linux || darwin

package hostnative

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// errClosed is what methods return after Close.
var errClosed = fmt.Errorf("hostnative: process: %w", os.ErrClosed)

// These hold a value for each pty that is being opened or read, and for each process whose files
// are being closed. All take the kernel's locks of terminals, and who waits for one takes a thread:
// a thousand commands at once should not take as many. None of it waits for a command. (To read a
// pipe may: who writes to it can hold its lock as long as a page of theirs takes to come.)
var openingPty, readingPty, hangingUp = make(chan struct{}, 4), make(chan struct{}, 4), make(chan struct{}, 4)

// A process is a command that was started, and what it is connected to.
type process struct {
	command
	io    *stdio
	place string // the cgroup that it was started in, or ""

	refused *refusals // nil if it is not confined
	limiter *limiter  // nil if nothing is limited
	guarded *guarded  // nil if it is not confined

	outputCalled atomic.Bool
	sink         sync.Mutex    // held while Output's sink runs
	midLine      bool          // the sink was last given a part of a line; guarded by sink
	told         chan struct{} // closed when what is told at the end of the output was
	ended        atomic.Bool   // there is no more output of the command
	holding      atomic.Int64  // bytes that are read, or may be, and that the sink does not have

	lastInput atomic.Uint32 // the last byte that Write wrote, or 0

	closing   chan struct{} // closed when Close has killed the command
	closeOnce sync.Once
	closeErr  error
}

var (
	_ driver.Process  = (*process)(nil)
	_ driver.Placer   = (*process)(nil)
	_ driver.Repairer = (*process)(nil)
)

func newProcess(c command, io *stdio, s spec, l Limits) *process {
	p := &process{
		command: c, io: io, place: c.Cgroup(), refused: s.refused, guarded: s.guarded,
		told: make(chan struct{}), closing: make(chan struct{}),
	}
	p.limiter = newLimiter(l, c, p.OutputPending)
	return p
}

// Place implements driver.Placer.
func (p *process) Place() (pid int, cgroup string) { return p.Pid(), p.place }

// Repairs implements driver.Repairer.
func (p *process) Repairs() []driver.Repair { return p.guarded.take() }

// Wait returns when the command has ended, and its protected files were compared. How it ended
// stays to be asked for until Close. It waits until Output has passed on why a limit has ended it,
// and all that counts for Limits.Output, tellLimit at the most.
func (p *process) Wait() (core.Exit, error) {
	exit, err := p.command.Wait()
	if err != os.ErrClosed {
		p.guarded.exited(p.command, p.closing)
	}
	if err == nil && p.limiter != nil {
		exit = p.awaitTold(exit)
	}
	switch {
	case err == os.ErrClosed:
		return core.Exit{}, errClosed
	case err != nil:
		return exit, fmt.Errorf("hostnative: %w", err)
	}
	return exit, nil
}

// tellLimit is how long Wait waits for Output: its sink may be slow, and somebody who is
// not of the command's tree may hold the output open.
const tellLimit = 5 * time.Second

// awaitTold returns how the command has ended, which is told to nobody before its output is:
// whoever hears of the exit may close the process, and no line would follow.
func (p *process) awaitTold(exit core.Exit) core.Exit {
	late := time.NewTimer(tellLimit)
	defer late.Stop()
	m := p.limiter
	for m.limits.Output > 0 && m.over.Load() == nil && p.OutputPending() > 0 {
		select {
		case <-time.After(time.Millisecond):
			continue
		case <-p.told:
		case <-p.closing:
		case <-late.C:
		}
		break
	}
	if exit = m.explain(exit); m.limits.text(exit.Reason) == "" {
		return exit
	}
	select {
	case <-p.told:
	case <-p.closing:
	case <-late.C:
	}
	return exit
}

// Close kills the command's tree, hangs up its pty, and ends all other
// methods. It returns when all are dead and the command is reaped, or an error
// when something does not die within 5 s or may not be killed; what is left is
// then cleared away whenever it does die.
func (p *process) Close() error {
	p.closeOnce.Do(func() {
		p.limiter.stop()
		err := p.End(func() {
			close(p.closing)
			hangingUp <- struct{}{}
			p.io.close()
			<-hangingUp
		})
		if err != nil {
			p.closeErr = fmt.Errorf("hostnative: %w", err)
		}
		p.guarded.end()
	})
	return p.closeErr
}

func (p *process) isTold() bool {
	select {
	case <-p.told:
		return true
	default:
		return false
	}
}

func (p *process) closed() bool {
	select {
	case <-p.closing:
		return true
	default:
		return false
	}
}
