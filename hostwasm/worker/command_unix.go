//go:build linux || darwin

package worker

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/internal/tally"
)

// A command is one of those that run in a worker, as the host sees it: what the
// worker has told of it, and what was booked for it.
type command struct {
	child   *child
	id      commandID
	ctx     context.Context // of its start
	leave   func()          // gives back what else it has, when it is gone
	fetches bool            // whether it may, by HTTP; set before it begins

	started chan error   // answers its job
	typing  chan *typing // the last answer to Look, if nobody has taken it
	// bytes of output that are still in the worker, at the most; known with exit
	pending   atomic.Int64
	ending    sync.Once     // guards exit
	exchanges tally.Tally   // that are open
	exited    chan struct{} // closed when exit is known
	exit      core.Exit
	gone      chan struct{} // closed when nothing of it runs any longer

	// Guarded by child.mu.
	fetching map[uint64]context.CancelFunc // ends an exchange, by the ID of its askFetch
	granted  int64                         // bytes of memory
	begun    bool                          // it was said whether it has started
	killed   bool                          // somebody wants it to end
}

// fetchedLimit is how long finish waits for what the command fetched.
var fetchedLimit = hostwasm.FetchedLimit

// newCommand returns a command for which so much memory was booked. leave is
// called once when it is gone.
func newCommand(ctx context.Context, memory int64, leave func()) *command {
	return &command{
		ctx: ctx, granted: memory, leave: leave, fetching: map[uint64]context.CancelFunc{},
		started: make(chan error, 1), typing: make(chan *typing, 1),
		exited: make(chan struct{}), gone: make(chan struct{}),
	}
}

// endWith is how the command has ended. The first one counts.
func (c *command) endWith(e core.Exit) {
	c.ending.Do(func() {
		c.exit = e
		close(c.exited)
	})
}

// finish says that the command is gone, and if it has not been told how it has
// ended, that it was so.
func (c *command) finish(e core.Exit) {
	c.pending.Store(0)
	if !c.hasExited() {
		c.letAllGo()
		c.exchanges.Wait(fetchedLimit)
	}
	c.endWith(e)
	c.leave()
	close(c.gone)
}

// handle takes what the worker says of a command.
func (c *command) handle(m *message) error {
	switch {
	case m.Started != nil:
		c.child.mu.Lock()
		again := c.begun
		c.begun = true
		c.child.mu.Unlock()
		if !again {
			c.started <- m.Started.refusal()
		}
	case m.Exit != nil:
		if !m.Exit.possible() {
			return fmt.Errorf("a command that ended as %+v", *m.Exit)
		}
		c.pending.Store(int64(min(max(m.Pending, 0), maxPending)))
		c.endWith(core.Exit(*m.Exit))
	case m.Passed:
		c.pending.Store(0)
	case m.Gone != nil:
		c.child.remove(c, m.Gone)
	case m.Typing != nil:
		select {
		case c.typing <- m.Typing:
		default: // nobody has asked
		}
	}
	return nil
}

// hasExited reports whether it is known how the command has ended.
func (c *command) hasExited() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

// send tells the worker something about the command.
func (c *command) send(m *message, files ...*os.File) error {
	m.Command = c.id
	return c.child.send(m, files...)
}

// begin hands the worker the job and waits until it runs. The error is errRetired if
// the worker has not got the job.
func (c *command) begin(j *job, files []*os.File) error {
	if err := c.send(&message{Job: j}, files...); err != nil {
		return errRetired
	}
	return await(c.ctx, c.started, c.gone)
}

// lookLimit is how long a worker may take to answer Look.
var lookLimit = 100 * time.Millisecond

// look asks what the command does with its terminal. It returns the last answer,
// or nil if there is none.
func (c *command) look() *typing {
	if c.send(&message{Look: true}) != nil {
		return nil
	}
	late := time.NewTimer(lookLimit)
	defer late.Stop()
	select {
	case t := <-c.typing:
		return t
	case <-c.gone:
	case <-late.C:
	}
	return nil
}

// Who is to end has so long for it, before its worker is killed: a little where it
// is alone, for that ends as soon as a processor is free, and more where others
// are in the same worker, who would be lost. By then a worker has given up a guest
// that is in a file system which does not answer.
var (
	killLimit     = 2 * time.Second
	siblingsLimit = 30 * time.Second
)

// insist waits for done, which the command's end closes, and kills the worker when
// that takes too long. The error is errStuck.
func (c *command) insist(done <-chan struct{}) error {
	late := time.NewTimer(killLimit)
	defer late.Stop()
	select {
	case <-done:
		return nil
	case <-late.C:
	}
	if !c.child.retireFor(c) {
		late.Reset(siblingsLimit - killLimit)
		select {
		case <-done:
			return nil
		case <-late.C:
		}
	}
	return c.child.close()
}

// end has the command be ended, whose output nobody reads any longer, and waits
// until nothing of it runs. The error is errStuck.
func (c *command) end() error {
	select {
	case <-c.gone:
		return nil
	default:
	}
	c.child.markKilled(c)
	go c.send(&message{End: true}) // the worker may not listen; an error means that it has ended
	return c.insist(c.gone)
}
