//go:build linux || darwin

package hostnative

import (
	"errors"
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

// lingerPause is the longest time between two looks for what does not die.
const lingerPause = 10 * time.Second

// errClosed is what methods return after Close.
var errClosed = fmt.Errorf("hostnative: process: %w", os.ErrClosed)

// A process is a command that was started, and its process group.
type process struct {
	child       // the command; its id is its session's and process group's, too
	tree  *tree // what it has started; guarded by mu
	io    *stdio
	place string // the cgroup that it was started in, or ""

	outputCalled atomic.Bool
	sink         sync.Mutex   // held while Output's sink runs
	holding      atomic.Int64 // bytes that are read, or may be, and that the sink does not have

	lastInput atomic.Uint32 // the last byte that Write wrote, or 0

	closing   chan struct{} // closed when Close begins
	closeOnce sync.Once
	closeErr  error

	turn    sync.Mutex    // held by who waits for the end
	exited  chan struct{} // closed when exit and exitErr are set
	exit    core.Exit
	exitErr error

	// mu guards the validity of pid: while it is held and gone is false, the
	// number belongs to our command or to its zombie.
	mu   sync.Mutex
	gone bool
}

var (
	_ driver.Process = (*process)(nil)
	_ driver.Placer  = (*process)(nil)
)

func newProcess(c child, t *tree, io *stdio) *process {
	p := &process{
		child:   c,
		tree:    t,
		io:      io,
		place:   t.place(),
		closing: make(chan struct{}),
		exited:  make(chan struct{}),
	}
	if c.blocks() {
		p.turn.Lock()
		go p.await() // ends with the command, which Close kills
	}
	return p
}

// Place implements driver.Placer.
func (p *process) Place() (pid int, cgroup string) { return p.pid, p.place }

// await waits for the command's end, records it, and leaves its zombie to keep
// the group's id from being given away. Close interrupts it where the command
// does not die. The caller has locked turn, and await unlocks it.
func (p *process) await() {
	defer p.turn.Unlock()
	if p.hasExited() {
		return
	}
	exit, err := p.wait()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return // interrupted
	}
	p.exit = exit
	if err != nil {
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
}

// Wait returns when the command has ended. How it ended stays to be asked for
// until Close.
func (p *process) Wait() (core.Exit, error) {
	if p.closed() {
		return core.Exit{}, errClosed
	}
	if p.turn.TryLock() {
		p.await() // here rather than on a goroutine of its own
	}
	select {
	case <-p.closing:
		return core.Exit{}, errClosed
	default:
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
// when something does not die within 5 s or may not be killed; what is left is
// then cleared away whenever it does die.
func (p *process) Close() error {
	p.closeOnce.Do(func() {
		if p.closeErr = p.end(); p.closeErr == nil {
			p.reap()
			return
		}
		p.interrupt()
		go p.linger() // ends with the tree, whose end is not ours
	})
	return p.closeErr
}

// linger does what Close could not.
func (p *process) linger() {
	p.turn.Lock()
	p.resume()
	p.await()
	for pause := time.Millisecond; p.endTree(time.Now()) != nil; pause = min(2*pause, lingerPause) {
		time.Sleep(pause)
	}
	p.reap()
}

// reap removes the command's zombie.
func (p *process) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		p.tree.reap(p.child)
		p.gone = true
	}
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
	if !p.hasExited() && p.turn.TryLock() {
		go p.await() // ends with the command, or is interrupted
	}
	limit := time.NewTimer(closeLimit)
	defer limit.Stop()
	select {
	case <-p.exited:
	case <-limit.C:
		return fmt.Errorf("hostnative: process %d has survived SIGKILL for %v", p.pid, closeLimit)
	}
	return p.endTree(late)
}

// endTree ends what the command, which has ended, has left.
func (p *process) endTree(late time.Time) error {
	// The zombie is still there: no other group or session has its number.
	p.mu.Lock()
	defer p.mu.Unlock()
	byItself := p.exit.Status.Signal == "" && !p.exit.Status.Unknown
	return p.tree.end(p.leader(), byItself, late)
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
