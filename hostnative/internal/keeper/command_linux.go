package keeper

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// A Spec is what is started.
type Spec struct {
	Path  string
	Argv  []string
	Env   []string // as NAME=value
	Ctty  bool     // standard output becomes the controlling terminal
	Files []int    // 0, 1 and 2, and the directory if it is not the keeper's

	// Cgroup is the descriptor of the room (see Keeper.Room) that it begins in, or 0.
	Cgroup int
}

// A Command is a command of a Keeper. Its methods are safe for concurrent use.
type Command struct {
	keeper *Keeper
	id     uint64
	pid    int
	cgroup string

	abandoned bool // it is ended as soon as it has started; guarded by the keeper's mu

	settled chan struct{} // closed when nobody of its tree is left
	lost    atomic.Bool   // its keeper has ended before it
	ending  chan struct{} // closed when End has killed it
	endOnce sync.Once
	endErr  error

	beyond atomic.Pointer[core.Reason] // the limit that it is killed for

	exited  chan struct{} // closed when status and exitErr are set
	status  core.Exit
	exitErr error
}

// Start starts a command. It calls answered when the keeper can be given another
// start: that may be after ctx has ended, and then what was started is ended again.
// The error has what the system said below it; ErrEnded means that nothing was started.
func (k *Keeper) Start(ctx context.Context, s Spec, answered func()) (*Command, error) {
	c, answer, err := k.prepare()
	if err != nil {
		answered()
		return nil, err
	}
	m, files := message{Kind: start, ID: c.id, Text: s.Path, List: s.Argv, Env: s.Env, Flag: s.Ctty}, s.Files
	if s.Cgroup > 0 {
		m.Number, files = 1, append(slices.Clip(files), s.Cgroup)
		k.entering.Store(true)
		leave := answered
		answered = func() {
			k.entering.Store(false)
			leave()
		}
	}
	err = k.send(m, files...)
	if err != nil {
		if isEnd(err) {
			err = ErrEnded
		}
		k.withdraw(c.id)
		k.release(c.id)
		answered()
		return nil, err
	}
	answered = k.pinging(answered)
	select {
	case m := <-answer:
		return c.answer(m, answered)
	case <-k.gone:
		answered()
		return nil, ErrGone
	case <-ctx.Done():
		k.mu.Lock()
		c.abandoned = true
		k.mu.Unlock()
		go c.abandon(answer, answered) // ends when the keeper answers or ends
		return nil, ctx.Err()
	}
}

// prepare makes a command that the keeper has not heard of.
func (k *Keeper) prepare() (*Command, <-chan message, error) {
	id, answer, err := k.request()
	if err != nil {
		return nil, nil, ErrEnded
	}
	c := &Command{keeper: k, id: id, settled: make(chan struct{}), ending: make(chan struct{}), exited: make(chan struct{})}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return nil, nil, ErrEnded
	}
	k.commands[id] = c
	return c, answer, nil
}

func (c *Command) answer(m message, answered func()) (*Command, error) {
	answered()
	if err := c.begin(m); err != nil {
		return nil, err
	}
	return c, nil
}

// begin takes the keeper's answer.
func (c *Command) begin(m message) error {
	if m.Kind != started {
		c.keeper.release(c.id)
		if err := m.fault(); err != nil {
			return err
		}
		return errMessage
	}
	c.pid, c.cgroup = int(m.Number), m.Text
	return nil
}

// abandon ends what nobody waits for any longer, when it has started.
func (c *Command) abandon(answer <-chan message, answered func()) {
	defer answered()
	select {
	case m := <-answer:
		if c.begin(m) == nil {
			c.End(func() {})
		}
	case <-c.keeper.gone:
	}
}

// Pid returns the id of the command's process and of its group. The keeper says so.
func (c *Command) Pid() int { return c.pid }

// Cgroup returns the cgroup that the command was started in, or "".
func (c *Command) Cgroup() string { return c.cgroup }

// Exited reports whether the command itself has ended, as far as is known.
func (c *Command) Exited() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

// treeReasons are the limits for which a tree.Tree is killed.
var treeReasons = []core.Reason{core.ReasonMemory, core.ReasonCPU, core.ReasonDisk}

// Beyond returns the limit of use for which the tree was killed, which may be after the
// command itself has ended, or core.ReasonNone. What is seen of that, such as the end of
// the output, is not seen before it.
func (c *Command) Beyond() core.Reason {
	c.SignalGroup(0) // is answered after the keeper's earlier news
	if why := c.beyond.Load(); why != nil {
		return *why
	}
	return core.ReasonNone
}

// exceed takes the news that the tree is killed for a limit.
func (c *Command) exceed(why core.Reason) {
	if slices.Contains(treeReasons, why) { // a keeper may say what it likes
		c.beyond.CompareAndSwap(nil, &why)
	}
}

// exit takes the news of the command's end. The keeper's mu is held, so it is called
// once only.
func (c *Command) exit(m message) {
	if c.Exited() {
		return
	}
	c.status = m.Exit
	switch {
	case c.status.Status.Unknown:
		c.status.Reason = core.ReasonLost
	case !slices.Contains(treeReasons, c.status.Reason):
		c.status.Reason = core.ReasonNone // a keeper may say what it likes
	}
	if m.Text != "" {
		c.exitErr = errors.New(m.Text)
	}
	close(c.exited)
}

// lose says that nobody knows any longer how the command ends. The keeper's mu is held.
func (c *Command) lose() {
	c.lost.Store(true)
	if c.Exited() {
		return
	}
	c.status = core.Exit{Status: core.ExitStatus{Unknown: true}, Reason: core.ReasonLost}
	c.exitErr = ErrGone
	close(c.exited)
}

// Settled is closed when the command has ended and the keeper has seen just then that it
// has left nobody.
func (c *Command) Settled() <-chan struct{} { return c.settled }

// settle takes the news that it is so. The keeper's mu is held.
func (c *Command) settle() {
	if !c.isSettled() { // a keeper may say so twice
		close(c.settled)
	}
}

func (c *Command) isSettled() bool {
	select {
	case <-c.settled:
		return true
	default:
		return false
	}
}

// Wait returns when the command has ended: how, and where that is not known
// core.ReasonLost and why. From when End has killed the command, or found it
// dead, the error is os.ErrClosed.
func (c *Command) Wait() (core.Exit, error) {
	select {
	case <-c.ending:
		return core.Exit{}, os.ErrClosed
	default:
	}
	select {
	case <-c.exited:
		return c.status, c.exitErr
	case <-c.ending:
		return core.Exit{}, os.ErrClosed
	}
}

// Signal sends sig to every process of the tree. A tree that is gone is no error.
func (c *Command) Signal(sig unix.Signal) error { return c.signal(signalTree, sig) }

// SignalGroup sends sig to what is left of the command's process group.
func (c *Command) SignalGroup(sig unix.Signal) error { return c.signal(signalGroup, sig) }

func (c *Command) signal(k kind, sig unix.Signal) error {
	if c.isSettled() || c.lost.Load() {
		return nil
	}
	err := c.keeper.askInTime(message{Kind: k, Of: c.id, Number: int64(sig)})
	if errors.Is(err, ErrGone) {
		return nil // what is left, the next keeper kills
	}
	return err
}

// End kills the tree. When the command's group has been sent SIGKILL it ends Wait
// and calls killed once. It returns when all are dead and the command is reaped, or
// an error when something does not die within 5 s; what is left is then cleared away
// whenever it does die. If the keeper has ended, ErrGone: it is for the next one to
// kill what is left. Later calls return what the first did.
func (c *Command) End(killed func()) error {
	c.endOnce.Do(func() {
		c.endErr = c.end(killed)
		c.keeper.release(c.id)
	})
	return c.endErr
}

func (c *Command) end(killed func()) error {
	if !c.Exited() {
		// An error will be end's, too.
		c.keeper.askInTime(message{Kind: signalGroup, Of: c.id, Number: int64(unix.SIGKILL)})
	}
	close(c.ending)
	killed()
	switch {
	case c.isSettled():
		return nil
	case c.lost.Load():
		return ErrGone
	}
	return c.keeper.askInTime(message{Kind: end, Of: c.id})
}
