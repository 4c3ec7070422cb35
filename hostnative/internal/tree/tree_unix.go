//go:build linux || darwin

package tree

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// endLimit is how long End waits for a process to die of SIGKILL. One that is
// stuck in the kernel takes longer, or for ever.
const endLimit = 5 * time.Second

// signalLimit is how long Signal looks for what a signal has to reach, SIGKILL excepted.
const signalLimit = time.Second

// lingerPause is the longest time between two looks for what does not die.
const lingerPause = 10 * time.Second

// A Spec is what is started.
type Spec struct {
	Path string // of the executable
	Argv []string
	Env  []string // as NAME=value; the callee's from then on
	Dir  string   // if empty, that of this program
	Ctty bool     // standard output becomes the controlling terminal

	// Exceeded, if not nil, is called with the limit that the tree is just about to be
	// killed for, which may be after the command itself has ended.
	Exceeded func(core.Reason)

	// Files are the descriptors that become 0, 1 and 2. They stay the caller's.
	Files [3]uintptr

	// Cgroup is a descriptor of a cgroup that somebody else has made for the command, and
	// ends, or 0. It stays the caller's. There are none on macOS.
	Cgroup int

	// Restrict, if not nil, restricts the thread that calls it, which starts the command
	// then, and ends. On macOS it is not called.
	Restrict func() error
}

// A Tree is a command that was started, and what it has started. Its methods are
// safe for concurrent use.
type Tree struct {
	child           // the command; its id is its session's and process group's, too
	rest  offspring // what it has started; guarded by mu

	ending  chan struct{} // closed when End has killed the command
	endOnce sync.Once
	endErr  error

	turn    sync.Mutex    // held by who waits for the end
	exited  chan struct{} // closed when exit and exitErr are set
	exit    core.Exit
	exitErr error
	beyond  atomic.Pointer[core.Reason] // the limit for which it is killed

	exceeded func(core.Reason) // Spec.Exceeded

	// mu guards the validity of pid: while it is held and gone is false, the
	// number belongs to our command or to its zombie.
	mu   sync.Mutex
	gone bool
}

func newTree(c child, rest offspring) *Tree {
	t := &Tree{
		child:  c,
		rest:   rest,
		ending: make(chan struct{}),
		exited: make(chan struct{}),
	}
	if c.blocks() {
		t.turn.Lock()
		go t.await() // ends with the command, which End kills
	}
	return t
}

// Pid returns the id of the command's process and of its group.
func (t *Tree) Pid() int { return t.pid }

// Beyond returns the limit of use for which the tree was killed, which may be after the
// command itself has ended, or core.ReasonNone.
func (t *Tree) Beyond() core.Reason {
	if why := t.beyond.Load(); why != nil {
		return *why
	}
	if t.outOfMemory() {
		return core.ReasonMemory
	}
	return core.ReasonNone
}

// Exited reports whether the command itself has ended, as far as is known.
func (t *Tree) Exited() bool {
	select {
	case <-t.exited:
		return true
	default:
		return false
	}
}

// Wait returns when the command has ended: how, and where that is not known
// core.ReasonLost and why. From when End has killed the command, or found it
// dead, the error is os.ErrClosed.
func (t *Tree) Wait() (core.Exit, error) {
	if t.isEnding() {
		return core.Exit{}, os.ErrClosed
	}
	if t.turn.TryLock() {
		t.await() // here rather than on a goroutine of its own
	}
	select {
	case <-t.ending:
		return core.Exit{}, os.ErrClosed
	default:
	}
	select {
	case <-t.exited:
		return t.exit, t.exitErr
	case <-t.ending:
		return core.Exit{}, os.ErrClosed
	}
}

// await waits for the command's end, records it, and leaves its zombie to keep
// the group's id from being given away. End interrupts it where the command
// does not die. The caller has locked turn, and await unlocks it.
func (t *Tree) await() {
	defer t.turn.Unlock()
	if t.Exited() {
		return
	}
	exit, err := t.wait()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return // interrupted
	}
	t.exit = exit
	if exit.Status.Signal == "SIGKILL" {
		t.exit.Reason = t.Beyond()
	}
	if err != nil {
		t.exit = core.Exit{Status: core.ExitStatus{Unknown: true}, Reason: core.ReasonLost}
		t.exitErr = fmt.Errorf("wait for process %d: %w", t.pid, err)
	}
	if err == unix.ECHILD {
		// Somebody else has reaped it: the number is not ours any longer.
		t.mu.Lock()
		t.rest.forget(t.child)
		t.gone = true
		t.mu.Unlock()
	}
	close(t.exited)
}

// Signal sends sig to every process of the tree. A tree that is gone is no
// error; a signal that the system does not know is errors.ErrUnsupported.
func (t *Tree) Signal(sig unix.Signal) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.signalGroup(sig); err != nil {
		return err
	}
	if sig == unix.SIGKILL {
		return t.rest.kill(t.leader(), false, time.Now().Add(endLimit))
	}
	t.rest.signal(t.leader(), sig, time.Now().Add(signalLimit))
	return nil
}

// SignalGroup sends sig to what is left of the command's process group.
func (t *Tree) SignalGroup(sig unix.Signal) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.signalGroup(sig)
}

// signalGroup needs t.mu: it is what keeps the group's id ours.
func (t *Tree) signalGroup(sig unix.Signal) error {
	if t.gone {
		return nil
	}
	if t.pid <= 1 || t.pid == unix.Getpgrp() {
		panic("tree: signal to process group " + strconv.Itoa(t.pid))
	}
	err := unix.Kill(-t.pid, sig)
	switch {
	case err == nil, err == unix.ESRCH:
		return nil
	case err == unix.EINVAL:
		return fmt.Errorf("signal %d: %w", sig, errors.ErrUnsupported)
	case err == unix.EPERM && t.Exited():
		return nil // what macOS says of a group that is down to its zombie
	}
	return fmt.Errorf("signal %d to process group %d: %w", sig, t.pid, err)
}

// End kills the tree. When the command's group has been sent SIGKILL it ends Wait
// and calls killed once. It returns when all are dead and the command is reaped, or
// an error when something does not die within 5 s or may not be killed; what is left
// is then cleared away whenever it does die. Later calls return what the first did.
func (t *Tree) End(killed func()) error {
	t.endOnce.Do(func() {
		if t.endErr = t.end(killed); t.endErr == nil {
			t.reapLeader()
			return
		}
		t.interrupt()
		go t.linger() // ends with the tree, whose end is not ours
	})
	return t.endErr
}

// end is what of End needs the zombie.
func (t *Tree) end(killed func()) error {
	late := time.Now().Add(endLimit)
	err := t.SignalGroup(unix.SIGKILL)
	close(t.ending)
	killed()
	if err != nil {
		return err
	}
	if !t.Exited() && t.turn.TryLock() {
		go t.await() // ends with the command, or is interrupted
	}
	limit := time.NewTimer(endLimit)
	defer limit.Stop()
	select {
	case <-t.exited:
	case <-limit.C:
		return fmt.Errorf("process %d has survived SIGKILL for %v", t.pid, endLimit)
	}
	return t.endOffspring(late)
}

// linger does what End could not.
func (t *Tree) linger() {
	t.turn.Lock()
	t.resume()
	t.await()
	for pause := time.Millisecond; t.endOffspring(time.Now()) != nil; pause = min(2*pause, lingerPause) {
		time.Sleep(pause)
	}
	t.reapLeader()
}

// endOffspring ends what the command, which has ended, has left.
func (t *Tree) endOffspring(late time.Time) error {
	// The zombie is still there: no other group or session has its number.
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rest.end(t.leader(), t.byItself(), late)
}

// byItself reports whether the command, which has ended, did so of its own accord.
func (t *Tree) byItself() bool { return t.exit.Status.Signal == "" && !t.exit.Status.Unknown }

// Settle frees what the tree holds if the command has ended and nobody of the tree
// is left: its zombie and its cgroup. It kills nobody. What it reports is whether
// that is so; then there is nothing left for End to do.
//
// Nobody can be added later: only who is of the tree starts what is of the tree.
func (t *Tree) Settle() bool {
	if !t.Exited() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return true
	}
	if !t.rest.settle(t.leader(), t.byItself()) {
		return false
	}
	t.rest.reap(t.child)
	t.gone = true
	return true
}

// reapLeader removes the command's zombie.
func (t *Tree) reapLeader() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.gone {
		t.rest.reap(t.child)
		t.gone = true
	}
}

// leader returns pid, or 0 if it is not ours any longer. It needs mu.
func (t *Tree) leader() int {
	if t.gone {
		return 0
	}
	return t.pid
}

func (t *Tree) isEnding() bool {
	select {
	case <-t.ending:
		return true
	default:
		return false
	}
}
