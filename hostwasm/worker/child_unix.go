//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
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
	started  chan error    // answers a job
	typing   chan *typing  // the last answer to Look, if nobody has taken it

	exited  chan struct{} // closed when exit is known
	exit    core.Exit
	leave   sync.Once     // guards exit
	ended   chan struct{} // closed when the process was reaped
	context context.Context
	cancel  context.CancelFunc // of what is done for it

	mu      sync.Mutex
	killed  bool // by us
	granted int64
}

var errClosed = fmt.Errorf("hostwasm/worker: %w", os.ErrClosed)

// startWorker starts a worker and waits until it is ready. A compiler gets the
// module that it is to compile.
func (h *Host) startWorker(ctx context.Context, module *os.File) (*child, error) {
	c, err := h.spawn(module)
	if err != nil {
		return nil, err
	}
	timeout := time.NewTimer(readyLimit)
	defer timeout.Stop()
	select {
	case <-c.ready:
		return c, nil
	case <-c.ended:
		err = fmt.Errorf("hostwasm/worker: %s is no worker: its main does not begin with worker.Main()", h.helper)
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timeout.C:
		err = fmt.Errorf("hostwasm/worker: a worker is not ready after %v", readyLimit)
	}
	c.close()
	return nil, err
}

// spawn starts a worker.
func (h *Host) spawn(module *os.File) (*child, error) {
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
	c.context, c.cancel = context.WithCancel(context.Background())
	h.all[c] = nil
	h.idle.Add(1)
	setup := h.setup(module != nil)
	go func() { // ends with the worker
		defer h.idle.Done()
		c.serve(setup, module)
	}()
	return c, nil
}

// setup is what every worker is told. h.mu is held.
func (h *Host) setup(compile bool) *setup {
	s := &setup{
		Engine: h.config.Engine, CacheDir: []byte(h.config.CacheDir), Compile: compile,
		Env: bytesOf(h.config.Env), Commands: bytesOf(h.names), Modules: h.modules.numbers, Dir: []byte(h.config.Dir),
		Limits: h.limits, Memory: share, Deterministic: h.config.Deterministic, Warm: h.warm,
	}
	for _, m := range h.config.Mounts {
		s.Mounts = append(s.Mounts, mount{[]byte(m.Dir), []byte(m.Guest), m.ReadOnly})
	}
	return s
}

// serve answers the worker until its end.
func (c *child) serve(s *setup, module *os.File) {
	var files []*os.File
	if module != nil {
		files = append(files, module)
	}
	err := c.conn.send(&message{Setup: s}, files...)
	for err == nil {
		var m *message
		if m, files, err = c.conn.receive(maxFromWorker); err == nil {
			c.handle(m, files)
		}
	}
	// It has gone, or talks nonsense.
	c.cancel()
	c.process.Kill()
	state, waitErr := c.process.Wait()
	c.conn.close()
	c.end(state, waitErr)
	h := c.host
	h.mu.Lock()
	delete(h.all, c)
	h.mu.Unlock()
	c.mu.Lock()
	h.memory.give(c.granted)
	c.mu.Unlock()
	close(c.ended)
}

// handle takes what the worker says, and files that are ours now.
func (c *child) handle(m *message, files []*os.File) {
	defer func() { closeAll(files) }()
	switch {
	case m.Ready != nil:
		select {
		case <-c.ready:
		default:
			c.measures = m.Ready
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
		c.leaveWith(*m.Exit)
	case m.Typing != nil:
		select {
		case c.typing <- m.Typing:
		default: // nobody has asked
		}
	case m.Ask != nil && m.Ask.What == askCompile && len(files) == 1:
		module := files[0]
		files = nil
		go func() { // ends with the worker, at the latest
			defer module.Close()
			c.reply(&answer{ID: m.Ask.ID}, c.host.compile(c.context, m.Ask, module))
		}()
	case m.Ask != nil:
		c.answer(m.Ask)
	}
}

// answer answers what takes no time.
func (c *child) answer(q *ask) {
	a := &answer{ID: q.ID}
	switch q.What {
	case askModule:
		f, err := c.host.modules.file(q.Command)
		if err == nil {
			c.reply(a, nil, f)
			return
		}
		c.reply(a, err)
	case askMemory:
		a.Bytes = c.grant(q.Bytes)
		c.reply(a, nil)
	default:
		c.reply(a, errors.New("no such question"))
	}
}

func (c *child) reply(a *answer, err error, files ...*os.File) {
	if err != nil {
		a.Error = err.Error()
	}
	c.conn.send(&message{Answer: a}, files...) // an error means that it has gone
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

// leaveWith is how the command ended. The first one counts.
func (c *child) leaveWith(e core.Exit) {
	c.leave.Do(func() {
		c.exit = e
		close(c.exited)
	})
}

// lookLimit is how long a worker may take to answer Look.
const lookLimit = 100 * time.Millisecond

// reading reports whether the command waits for somebody to type, when it has
// all bytes that were: typed. Since that stays so until it gets more, an answer
// that came late is as good.
func (c *child) reading(typed uint64) bool {
	if c.conn.send(&message{Look: true}) != nil {
		return false
	}
	late := time.NewTimer(lookLimit)
	defer late.Stop()
	select {
	case t := <-c.typing:
		return t.Reading && t.Taken == typed
	case <-c.ended:
	case <-late.C:
	}
	return false
}

// end records how a worker ended that has not told how its command did. A
// SIGKILL that is not ours is the system's, for want of memory.
func (c *child) end(state *os.ProcessState, err error) {
	c.mu.Lock()
	killed := c.killed
	c.mu.Unlock()
	e := core.Exit{Status: core.ExitStatus{Signal: "SIGKILL"}}
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

// close ends the worker and waits for it.
func (c *child) close() {
	c.kill()
	<-c.ended
}

// begin hands the worker a job and waits until it runs.
func (c *child) begin(ctx context.Context, j *job, files ...*os.File) error {
	if err := c.conn.send(&message{Job: j}, files...); err != nil {
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
