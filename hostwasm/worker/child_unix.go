//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
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
	started  chan error   // answers a job
	typing   chan *typing // the last answer to Look, if nobody has taken it

	pending atomic.Int64  // bytes of output that are still in it, at the most; known with exit
	exited  chan struct{} // closed when exit is known
	exit    core.Exit
	leave   sync.Once     // guards exit
	ended   chan struct{} // closed when the process was reaped
	used    time.Duration // of processors; then
	context context.Context
	cancel  context.CancelFunc // of what is done for it
	state   *os.ProcessState   // of the process; after ended, and nil if nobody knows

	module    *os.File    // where it puts one that is to be compiled, after askFile; serve's
	compiling atomic.Bool // a module for it
	waits     waits.Waits // until it is

	mu      sync.Mutex
	killed  bool            // by us
	deaf    bool            // an answer could not be sent
	settled bool            // it has ended, and has nothing any longer
	granted int64           // bytes of memory
	tmp     *tmp            // of its session, once it has a job
	starts  context.Context // of what starts its command, once it has a job
	trees   trees           // in which we do things for it, once it has a job
}

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
		err = fmt.Errorf("hostwasm/worker: a worker is not ready after %v", readyLimit)
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
	c := &child{
		host: h, process: process, conn: ours,
		ready: make(chan struct{}), started: make(chan error, 1), typing: make(chan *typing, 1),
		exited: make(chan struct{}), ended: make(chan struct{}),
	}
	c.waits.Most = busyMachine * h.limits.Compile
	c.context, c.cancel = context.WithCancel(context.Background())
	h.all[c] = nil
	h.complete(&s)
	go c.serve(&s, files) // ends with the worker
	return c, nil
}

// complete adds what every worker is told. h.mu is held.
func (h *Host) complete(s *setup) {
	s.Engine, s.By, s.Limits, s.Processors, s.Required = h.config.Engine, h.by, limits(h.limits), h.processors, h.config.Required
	if s.Compile {
		return
	}
	s.Env, s.Dir = h.config.Env, h.config.Dir
	for _, c := range h.caches {
		s.Caches = append(s.Caches, c.Entries())
	}
	s.Commands, s.Modules = h.names, h.modules.numbers
	s.Hidden = h.config.Hidden
	s.Memory, s.Deterministic = share, h.config.Deterministic
	s.Warm, s.WarmSum = h.warm, h.warmSum
	for _, m := range h.config.Mounts {
		s.Mounts = append(s.Mounts, mount{m.Dir, m.Guest, m.ReadOnly})
	}
}

// serve answers the worker until its end.
func (c *child) serve(s *setup, files []*os.File) {
	err := c.conn.send(&message{Setup: s}, files...)
	for err == nil {
		var m *message
		if m, files, err = c.conn.receive(maxFromWorker); err == nil {
			err = c.handle(m, files)
		}
	}
	// It has gone, or talks nonsense.
	c.cancel()
	c.process.Kill()
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
	c.pending.Store(0)
	c.end(state, waitErr)
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

// adopt has the worker keep what was booked for a command, until it ends. ctx is
// that of its start.
func (c *child) adopt(ctx context.Context, memory int64, t *tmp, trees trees) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled {
		c.host.memory.give(memory)
		trees.close()
		return
	}
	c.granted += memory
	c.starts, c.tmp, c.trees = ctx, t, trees
}

// settle gives back what the worker had, which has ended.
func (c *child) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled = true
	c.host.memory.give(c.granted)
	c.granted = 0
	c.trees.close()
}

// handle takes what the worker says, and files that are ours now. The error says
// that it is nonsense.
func (c *child) handle(m *message, files []*os.File) error {
	defer func() { closeAll(files) }()
	switch {
	case m.Calls:
		if c.calls != nil || c.measures != nil || len(files) != 1 { // later, it would not be the worker's own doing
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
	case m.Started != nil:
		var err error
		if m.Started.Text != "" {
			err = m.Started.refusal()
		}
		select {
		case c.started <- err:
		default: // it was told once
		}
	case m.Exit != nil:
		if !m.Exit.possible() {
			return fmt.Errorf("a command that ended as %+v", *m.Exit)
		}
		c.pending.Store(int64(min(max(m.Pending, 0), maxPending)))
		c.leaveWith(core.Exit(*m.Exit))
	case m.Passed:
		c.pending.Store(0)
	case m.Typing != nil:
		select {
		case c.typing <- m.Typing:
		default: // nobody has asked
		}
	case m.Ask != nil && c.listens():
		c.answer(m.Ask)
	}
	return nil
}

// answer answers what takes no time. To read what was compiled of a large module
// for askKept takes a fraction of a second, once.
func (c *child) answer(q *ask) {
	a := &answer{ID: q.ID}
	switch q.What {
	case askSum:
		sum, err := c.host.modules.sum(q.Command)
		a.Sum = sum[:]
		c.reply(a, err)
	case askKept:
		key := cache.Key{By: c.host.by}
		if copy(key.Module[:], q.Sum) != len(key.Module) {
			c.reply(a, errors.New("no sum of a module"))
			return
		}
		e, err := c.host.kept(key)
		a.Kept = kept(e)
		c.reply(a, err)
	case askModule:
		f, err := c.host.modules.share(q.Command)
		if err != nil {
			c.reply(a, err)
			return
		}
		c.reply(a, nil, f)
	case askFile:
		c.module.Close() // an error means that there was none
		var err error
		if c.module, err = emptyFile("module"); err != nil {
			c.reply(a, err)
			return
		}
		c.reply(a, nil, c.module)
	case askCompile, askCompileFile:
		c.compileFor(q)
	case askMemory:
		a.Number = c.grant(q.Number)
		c.reply(a, nil)
	case askMode, askTimes, askMkdir, askUnlink, askRmdir, askRename, askLink, askSymlink:
		a.Number = status(c.do(q))
		c.reply(a, nil)
	case askOpen:
		f, err := c.open(q)
		if err != nil {
			a.Number = status(err)
			c.reply(a, nil)
			return
		}
		defer f.Close()
		c.reply(a, nil, f)
	case askTmpBytes:
		a.Number = c.grantTmp(amount{bytes: q.Number}).bytes
		c.reply(a, nil)
	case askTmpNames:
		a.Number = c.grantTmp(amount{names: q.Number}).names
		c.reply(a, nil)
	default:
		c.reply(a, errors.New("no such question"))
	}
}

func (c *child) reply(a *answer, err error, files ...*os.File) {
	if err != nil {
		a.Error = err.Error()
	}
	if c.send(&message{Answer: a}, files...) != nil {
		c.mu.Lock()
		c.deaf = true
		c.mu.Unlock()
	}
}

// listens reports whether the worker may still take an answer. Its last messages
// may say how its command has ended, so they are read when it has gone. But the
// socket holds thousands of questions, and each may take long: without this, a
// worker that was killed has them all answered before it has ended for us.
func (c *child) listens() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.killed && !c.deaf
}

// grant books memory for the worker's guests, by the share, and returns how
// much: at least n, or 0.
func (c *child) grant(n int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit := c.host.limits.Memory
	if n <= 0 || limit >= 0 && n > limit-c.granted+share {
		return 0
	}
	for _, n := range []int64{(n + share - 1) / share * share, n} {
		if c.host.memory.take(n) {
			c.granted += n
			return n
		}
	}
	return 0
}

// grantTmp books what the worker's session may have in /tmp.
func (c *child) grantTmp(asked amount) amount {
	c.mu.Lock()
	t := c.tmp
	c.mu.Unlock()
	if t == nil {
		return amount{}
	}
	return c.host.scratch.grant(t, asked)
}

// leaveWith is how the command ended. The first one counts.
func (c *child) leaveWith(e core.Exit) {
	c.leave.Do(func() {
		c.exit = e
		close(c.exited)
	})
}

// lookLimit is how long a worker may take to answer Look.
const lookLimit = 100 * time.Millisecond

// look asks what the command does with its terminal. It returns the last answer,
// or nil if there is none.
func (c *child) look() *typing {
	if c.send(&message{Look: true}) != nil {
		return nil
	}
	late := time.NewTimer(lookLimit)
	defer late.Stop()
	select {
	case t := <-c.typing:
		return t
	case <-c.ended:
	case <-late.C:
	}
	return nil
}

// killedExit is how a command has ended whose worker we have killed.
var killedExit = core.Exit{Status: core.ExitStatus{Signal: "SIGKILL"}}

// end records how a worker ended that has not told how its command did. A
// SIGKILL that is not ours is the system's, for want of memory.
func (c *child) end(state *os.ProcessState, err error) {
	c.mu.Lock()
	killed := c.killed
	c.mu.Unlock()
	e := killedExit
	switch {
	case killed:
	case err == nil && wasKilled(state):
		e.Reason = core.ReasonMemory
	default:
		e = core.Exit{Status: core.ExitStatus{Unknown: true}, Reason: core.ReasonLost}
	}
	c.leaveWith(e)
}

// kill ends the worker, and all that runs in it.
func (c *child) kill() {
	c.mu.Lock()
	c.killed = true
	c.mu.Unlock()
	c.process.Kill() // an error means that it has ended
}

// stuckLimit is how long we wait for a worker that was killed. It ends at once,
// unless it waits in the kernel: for a file system that does not answer, say.
var stuckLimit = 5 * time.Second

// errStuck is what Close fails with when there is such a worker.
var errStuck = errors.New("hostwasm/worker: a worker that was killed has not ended: it is left behind")

// close ends the worker and waits for it. The error is errStuck: then the command
// has ended for us, and the worker does when the kernel lets it.
func (c *child) close() error {
	c.kill()
	late := time.NewTimer(stuckLimit)
	defer late.Stop()
	select {
	case <-c.ended:
		return nil
	case <-late.C:
		c.leaveWith(killedExit)
		return errStuck
	}
}

// closeChildren is close for many, all at once.
func closeChildren(children []*child) (err error) {
	errs := make(chan error)
	for _, c := range children {
		go func() { errs <- c.close() }()
	}
	for range children {
		if e := <-errs; e != nil {
			err = e
		}
	}
	return err
}

// begin hands the worker a job and waits until it runs.
func (c *child) begin(ctx context.Context, j *job, files ...*os.File) error {
	if err := c.send(&message{Job: j}, files...); err != nil {
		return errGone
	}
	return c.await(ctx, errGone)
}

// await waits for the worker's answer to its job; gone says that none came.
func (c *child) await(ctx context.Context, gone error) error {
	select {
	case err := <-c.started:
		return err
	case <-c.ended:
		select {
		case err := <-c.started: // before it ended
			return err
		default:
			return gone
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var errGone = &core.HostError{Reason: "start_failed", Message: "the worker has ended before the command ran"}
