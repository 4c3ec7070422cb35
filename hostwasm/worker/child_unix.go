//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/internal/waits"
)

// readyLimit is how long a worker may take until it is ready.
const readyLimit = 20 * time.Second

// A child is a worker, as its host sees it. It is safe for concurrent use.
type child struct {
	host    *Host
	process *os.Process
	conn    *conn

	ready    chan struct{} // closed when it has begun well
	measures []Measure     // then
	refusal  string        // why it runs nothing; then
	unfit    error         // then: it is not held as is required
	calls    *os.File      // what we watch its system calls with; before that
	watching sync.WaitGroup
	answered chan error // answers a session, or a module to be compiled

	answering sync.WaitGroup // what was asked of file systems
	asked     chan struct{}  // holds a value for each of that

	ended   chan struct{} // closed when the process was reaped
	used    time.Duration // of processors; then
	context context.Context
	cancel  context.CancelFunc // of what is done for it
	state   *os.ProcessState   // of the process; after ended, and nil if nobody knows

	module    *os.File    // where it puts one that is to be compiled, after askFile; serve's
	compiling atomic.Bool // a module for it
	waits     waits.Waits // until it is

	mu       sync.Mutex
	killed   bool // by us
	deaf     bool // an answer could not be sent
	settled  bool // it has ended, and has nothing any longer
	retired  bool // it is to have no more commands
	last     commandID
	commands map[commandID]*command // that are not gone
	left     int64                  // bytes of memory of what is left behind
	covered  int                    // how many commands its limits are for
	since    time.Time              // it has served a session
	tmp      *tmp                   // of its session, once it has one
	trees    trees                  // in which we do things for it, once it has a session
}

var errNotReady = fmt.Errorf("hostwasm/worker: a worker is not ready after %v", readyLimit)

var errClosed = fmt.Errorf("hostwasm/worker: %w", os.ErrClosed)

// startWorker starts a worker and waits until it is ready. What s leaves open is
// the host's. A compiler gets the module that it is to compile.
func (h *Host) startWorker(ctx context.Context, s setup, files ...*os.File) (*child, error) {
	c, err := h.spawn(s, files)
	if err != nil {
		return nil, err
	}
	timeout := time.NewTimer(readyLimit)
	defer timeout.Stop()
	select {
	case <-c.ready:
	case <-c.ended: // perhaps after it has said why
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timeout.C:
		err = errNotReady
	}
	if err == nil {
		if err = c.begun(); err == nil {
			return c, nil
		}
	}
	c.close()
	return nil, err
}

// begun says why a worker that was ready, or has ended, runs nothing.
func (c *child) begun() error {
	select {
	case <-c.ready:
	default:
		return fmt.Errorf("hostwasm/worker: %s has ended before it was a worker (%v): a program that can be one begins its main with worker.Main()", c.host.helper, c.state)
	}
	if c.refusal != "" {
		return fmt.Errorf("hostwasm/worker: %s: %.1000q", c.host.helper, c.refusal)
	}
	return c.unfit
}

// spawn starts a worker.
func (h *Host) spawn(s setup, files []*os.File) (*child, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosed
	}
	ours, theirs, err := socketpair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		ours.close()
		return nil, err
	}
	defer null.Close()
	process, err := h.starter.start(h.helper, []*os.File{null, null, null, theirs})
	if err != nil {
		ours.close()
		return nil, fmt.Errorf("hostwasm/worker: start %s: %w", h.helper, err)
	}
	c := newChild(h, ours)
	c.process = process
	c.waits.Most = busyMachine * h.limits.Compile
	c.context, c.cancel = context.WithCancel(context.Background())
	h.all[c] = nil
	h.complete(&s)
	go c.serve(&s, files) // ends with the worker
	return c, nil
}

func newChild(h *Host, conn *conn) *child {
	return &child{
		host: h, conn: conn,
		ready: make(chan struct{}), answered: make(chan error, 1), ended: make(chan struct{}),
		commands: make(map[commandID]*command), covered: 1, asked: make(chan struct{}, maxAnswers),
	}
}

// complete adds what every worker is told. h.mu is held.
func (h *Host) complete(s *setup) {
	s.Engine, s.By, s.Limits, s.Processors, s.Required = h.config.Engine, h.by, limits(h.limits), h.processors, h.config.Required
	s.Most = h.services.most
	if s.Compile {
		return
	}
	s.Env, s.Dir = h.config.Env, h.config.Dir
	for _, c := range h.caches {
		s.Caches = append(s.Caches, c.Entries())
	}
	s.Commands, s.Modules, s.Direct = h.names, h.modules.numbers, h.modules.direct
	s.Hidden = h.config.Hidden
	s.Deterministic = h.config.Deterministic
	s.HTTP = h.config.HTTP != nil
	s.Warm, s.WarmSum = h.warm, h.warmSum
	for _, m := range h.config.Mounts {
		s.Mounts = append(s.Mounts, mount{m.Dir, m.Guest, m.ReadOnly, m.Own})
	}
}

// serve answers the worker until its end.
func (c *child) serve(s *setup, files []*os.File) {
	err := c.conn.send(&message{Setup: s}, files...)
	for err == nil {
		var m *message
		if m, files, err = c.conn.receive(maxFromWorker); err == nil {
			if err = c.handle(m, files); err != nil { // it talks nonsense
				c.kill()
			}
		}
	}
	c.cancel()
	c.retire()
	c.process.Kill() // an error means that it has ended
	state, waitErr := c.process.Wait()
	if waitErr == nil {
		c.state, c.used = state, state.UserTime()+state.SystemTime()
	}
	c.conn.close()
	c.module.Close() // an error means that there is none
	if c.calls != nil {
		c.calls.Close()
		c.watching.Wait()
	}
	c.endCommands(waitErr == nil && wasKilled(state))
	c.answering.Wait()
	c.settle()
	h := c.host
	h.mu.Lock()
	delete(h.all, c)
	h.mu.Unlock()
	close(c.ended)
}

// maxPending is as much output as can be in a worker, in bytes: two pipes full.
// On an interactive terminal it is one, with each line feed counted twice.
const maxPending = 128 << 10

// send sends m. A worker that does not take it is killed.
func (c *child) send(m *message, files ...*os.File) error {
	err := c.conn.send(m, files...)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.kill()
	}
	return err
}

// begin has the worker serve a session, and waits until it does. The trees are the
// worker's from now on. ctx ends the wait.
func (c *child) begin(ctx context.Context, s *session, t *tmp, trees trees) error {
	c.mu.Lock()
	if c.settled {
		c.mu.Unlock()
		trees.close()
		return errGone
	}
	c.tmp, c.trees, c.since = t, trees, time.Now()
	c.mu.Unlock()
	if c.send(&message{Session: s}) != nil {
		return errGone
	}
	return await(ctx, c.answered, c.ended)
}

// maxAge is how long a worker gets new commands. By that its processor time is
// limited, which nobody but root can raise later.
var maxAge = time.Hour

// worn reports whether the worker is to have no more commands.
func (c *child) worn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.retired || c.last > 0 && time.Since(c.since) > maxAge
}

// add has the worker have another command. It returns false where that is to have
// none any longer, or so many more that the system does not let it have more.
func (c *child) add(m *command) bool {
	if c.worn() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.commands) + 1
	if c.settled || c.retired || n > c.covered && raiseLimits(c.process.Pid, c.host.limits, n) != nil {
		return false
	}
	c.covered = max(c.covered, n)
	c.last++
	m.child, m.id = c, c.last
	c.commands[m.id] = m
	return true
}

// find returns one of the worker's commands, or nil.
func (c *child) find(id commandID) *command {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commands[id]
}

// remove is how a command ends of which nothing runs any longer.
func (c *child) remove(m *command, g *gone) {
	c.mu.Lock()
	killed := m.killed
	delete(c.commands, m.id)
	if g.Stuck { // what it has taken is free when the worker has ended
		c.retired = true
		c.left += m.granted
	} else {
		c.host.memory.give(m.granted)
	}
	m.granted = 0
	c.mu.Unlock()
	e := lostExit
	if killed {
		e = killedExit
	}
	m.finish(e)
}

// settle gives back what the worker had, which has ended.
func (c *child) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled = true
	c.host.memory.give(c.left)
	c.left = 0
	c.trees.close()
}

// handle takes what the worker says, and files that are ours now. The error says
// that it is nonsense.
func (c *child) handle(m *message, files []*os.File) error {
	defer func() { closeAll(files) }()
	switch {
	case m.Calls:
		// Later, it would not be the worker's own doing.
		if c.calls != nil || c.measures != nil || len(files) != 1 {
			return errors.New("another file of calls")
		}
		c.calls, files = files[0], nil
		c.watching.Go(c.watchCalls) // ends with the worker
	case m.Ready != nil:
		select {
		case <-c.ready:
		default:
			c.measures, c.refusal = m.Ready.Measures, m.Ready.Refusal
			c.unfit = c.host.confined(m.Ready.Measures)
			close(c.ready)
		}
	case m.Ask != nil:
		c.ask(m.Ask, m.Command)
	case m.Command != 0:
		command := c.find(m.Command)
		if command == nil {
			return fmt.Errorf("a command %d that it does not have", m.Command)
		}
		return command.handle(m)
	case m.Started != nil:
		select {
		case c.answered <- m.Started.refusal():
		default: // it was told once
		}
	}
	return nil
}

// How a command has ended that was killed with its worker, and one whose worker has
// ended for another reason.
var (
	killedExit = core.Exit{Status: core.ExitStatus{Signal: "SIGKILL"}}
	lostExit   = core.Exit{Status: core.ExitStatus{Unknown: true}, Reason: core.ReasonLost}
)

// endCommands has all commands be gone with the worker, which has ended. A SIGKILL
// that is not ours is the system's, for want of memory: which command had taken that
// is known where there is only one.
func (c *child) endCommands(bySIGKILL bool) {
	c.mu.Lock()
	all := slices.Collect(maps.Values(c.commands))
	clear(c.commands)
	exits := make([]core.Exit, len(all))
	for i, m := range all {
		switch {
		case m.killed:
			exits[i] = killedExit
		case bySIGKILL && !c.killed && len(all) == 1:
			exits[i] = core.Exit{Status: killedExit.Status, Reason: core.ReasonMemory}
		default:
			exits[i] = lostExit
		}
		c.host.memory.give(m.granted)
		m.granted = 0
	}
	c.mu.Unlock()
	for i, m := range all {
		m.finish(exits[i])
	}
}

// retire has the worker have no more commands. It must have come before it is reaped:
// later its number may be another process's, whose limits add would set.
func (c *child) retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retired = true
}

// markKilled notes that somebody wants a command to end.
func (c *child) markKilled(m *command) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.killed = true
}

// retireFor has the worker have no more commands if m is the only one, and reports
// whether it is.
func (c *child) retireFor(m *command) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.commands) != 1 || c.commands[m.id] != m {
		return false
	}
	c.retired = true
	return true
}

// kill ends the worker, and all that runs in it. Commands that nobody has wanted to
// end are lost.
func (c *child) kill() {
	c.mu.Lock()
	c.killed, c.retired = true, true
	c.mu.Unlock()
	c.process.Kill() // an error means that it has ended
}

var (
	// stuckLimit is how long we wait for a worker that was killed. It ends at once,
	// unless it waits in the kernel: for a file system that does not answer, say.
	stuckLimit = 5 * time.Second
	// lookAgain is when we look again whether it is one that only gets no processor:
	// a thread that ends waits in the kernel for a moment, too.
	lookAgain = 200 * time.Millisecond
)

// slowLimit is how long we wait for one that only gets no processor, as on a
// machine with many times more to do than it can.
const slowLimit = 2 * time.Minute

// errStuck is what Close fails with when there is such a worker.
var errStuck = errors.New("hostwasm/worker: a worker that was killed has not ended: it is left behind")

// close ends the worker and waits for it. The error is errStuck: then its commands
// have ended for us, and it does when the kernel lets it.
func (c *child) close() error {
	c.kill()
	if c.awaitEnd() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.commands {
		if m.killed {
			m.endWith(killedExit)
		} else {
			m.endWith(lostExit)
		}
	}
	return errStuck
}

// awaitEnd waits for a worker that was killed, and reports whether it has ended.
func (c *child) awaitEnd() bool {
	held := 0 // how often it was, in a row
	began := time.Now()
	for limit := stuckLimit; held < 2 && time.Since(began) < slowLimit; limit = lookAgain {
		late := time.NewTimer(limit)
		select {
		case <-c.ended:
			late.Stop()
			return true
		case <-late.C:
		}
		if held++; !isHeld(c.process.Pid) {
			held = 0
		}
	}
	return false
}

// closeChildren is close for many, all at once, with all that runs in them.
func closeChildren(children []*child) (err error) {
	errs := make(chan error)
	for _, c := range children {
		c.mu.Lock()
		for _, m := range c.commands {
			m.killed = true
		}
		c.mu.Unlock()
		go func() { errs <- c.close() }()
	}
	for range children {
		if e := <-errs; e != nil {
			err = e
		}
	}
	return err
}

// await waits for an answer of a worker's, until over is closed. The error is then
// errGone.
func await(ctx context.Context, answer <-chan error, over <-chan struct{}) error {
	select {
	case err := <-answer:
		return err
	case <-over:
		select {
		case err := <-answer: // before it was over
			return err
		default:
			return errGone
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errRetired is why a command has to go to another worker. Nobody else learns of it.
var errRetired = errors.New("hostwasm/worker: a worker that has no more commands")

var errGone = &core.HostError{Reason: "start_failed", Message: "the worker has ended before the command ran"}
