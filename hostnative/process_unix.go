//go:build linux || darwin

package hostnative

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// closeLimit is how long Close waits for a process to die of SIGKILL. One
// that is stuck in the kernel takes longer, or for ever.
const closeLimit = 5 * time.Second

// errClosed is what methods return after Close.
var errClosed = fmt.Errorf("hostnative: process: %w", os.ErrClosed)

// A process is a command that was started, and its process group.
type process struct {
	child       // the command; its id is its session's and process group's, too
	tree  *tree // what it has started; guarded by mu
	io    *stdio

	outputCalled atomic.Bool
	sink         sync.Mutex   // held while Output's sink runs
	holding      atomic.Int64 // bytes that are read, or may be, and that the sink does not have

	lastInput atomic.Uint32 // the last byte that Write wrote, or 0

	closing   chan struct{} // closed when Close begins
	closeOnce sync.Once
	closeErr  error

	exited  chan struct{} // closed when exit and exitErr are set
	exit    core.Exit
	exitErr error

	free   chan struct{} // closed when Close needs the zombie no longer
	reaped chan struct{} // closed when nothing is left of the command

	// mu guards the validity of pid: while it is held and gone is false, the
	// number belongs to our command or to its zombie.
	mu   sync.Mutex
	gone bool
}

var _ driver.Process = (*process)(nil)

func newProcess(c child, t *tree, io *stdio) *process {
	p := &process{
		child:   c,
		tree:    t,
		io:      io,
		closing: make(chan struct{}),
		free:    make(chan struct{}),
		exited:  make(chan struct{}),
		reaped:  make(chan struct{}),
	}
	go p.await() // Close stops it and waits for it
	return p
}

// await records the command's end, leaves its zombie to keep the group's id
// from being given away, and reaps it when Close asks for that.
func (p *process) await() {
	var err error
	if p.exit, err = p.wait(); err != nil {
		p.exit = core.Exit{Status: core.ExitStatus{Unknown: true}, Reason: core.ReasonLost}
		p.exitErr = fmt.Errorf("hostnative: wait for process %d: %w", p.pid, err)
	}
	if err == unix.ECHILD {
		// Somebody else has reaped it: the number is not ours any longer.
		p.mu.Lock()
		p.tree.forget(p.child)
		p.gone = true
		p.mu.Unlock()
	}
	close(p.exited)

	<-p.free
	p.mu.Lock()
	if !p.gone {
		p.tree.reap(p.child)
		p.gone = true
	}
	p.mu.Unlock()
	close(p.reaped)
}

// Wait returns when the command has ended. How it ended stays to be asked for
// until Close.
func (p *process) Wait() (core.Exit, error) {
	if p.closed() {
		return core.Exit{}, errClosed
	}
	select {
	case <-p.exited:
		return p.exit, p.exitErr
	case <-p.closing:
		return core.Exit{}, errClosed
	}
}

// Close kills the command's tree, hangs up its pty, and ends all other
// methods. It returns when all are dead and the command is reaped, or an error
// when something does not die within 5 s or may not be killed; the command is
// then reaped whenever it does die.
func (p *process) Close() error {
	p.closeOnce.Do(func() { p.closeErr = p.close() })
	return p.closeErr
}

func (p *process) close() error {
	err := p.end()
	close(p.free)
	if p.hasExited() {
		<-p.reaped
	}
	return err
}

// end is what of Close needs the zombie.
func (p *process) end() error {
	late := time.Now().Add(closeLimit)
	err := p.kill()
	close(p.closing)
	p.io.close()
	if err != nil {
		return err
	}
	limit := time.NewTimer(closeLimit)
	defer limit.Stop()
	select {
	case <-p.exited:
	case <-limit.C:
		return fmt.Errorf("hostnative: process %d has survived SIGKILL for %v", p.pid, closeLimit)
	}
	// The zombie is still there: no other group or session has its number.
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tree.end(p.leader(), late)
}

// leader returns pid, or 0 if it is not ours any longer. It needs mu.
func (p *process) leader() int {
	if p.gone {
		return 0
	}
	return p.pid
}

func (p *process) closed() bool {
	select {
	case <-p.closing:
		return true
	default:
		return false
	}
}
