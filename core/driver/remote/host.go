package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

// A Host is the near side: a driver.Host whose commands run on the far side. It is safe for
// concurrent use.
type Host struct {
	config  Config
	log     log
	session sessionID
	link    *link
	pool    *pool // of the windows for output
	room    room

	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	closing atomic.Bool   // Close was called: a connection that ends is not made anew
	kept    chan struct{} // closed when keep has returned
	lost    chan struct{} // closed when the session has ended

	// Of the goroutine that connects.
	attempt uint64
	begun   bool
	lease   time.Duration

	mu        sync.Mutex // guards the fields below; comes before the link's
	last      uint64     // the newest ID
	calls     map[uint64]*call
	terminals map[uint64]*process
	err       error // why lost is closed
}

// A call waits for the answer to a request.
type call struct {
	kind    kind
	process *process      // that it is about, or starts; nil for a Resolve
	cost    int64         // of the room
	done    chan struct{} // closed when the rest is set
	failure error
	found   found // of a Resolve
}

var _ driver.Host = (*Host)(nil)

func newHost(c Config) *Host {
	h := &Host{
		config: c, log: newLog(c.Logger), lease: c.Lease, pool: newPool(), room: room{free: requests},
		kept: make(chan struct{}), lost: make(chan struct{}),
		calls: make(map[uint64]*call), terminals: make(map[uint64]*process),
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.link = newLink(h.handle)
	return h
}

// ErrClosed is why the commands of a Host have ended that was closed.
var ErrClosed = fmt.Errorf("remote: %w", os.ErrClosed)

// Close ends the session, if it is not lost yet. The far side kills what runs there: at once if it
// can be told, and when the lease is over if not. To this side all is lost from now on.
func (h *Host) Close() error {
	// The far side may have let go of the connection before flush returns here.
	h.closing.Store(true)
	send(h.link, kindEnd, &end{"closed by the near side"})
	h.link.flush(endLimit)
	h.cancel()
	h.lose(ErrClosed)
	<-h.kept
	return nil
}

// Held returns how many bytes are kept to be sent again, and the most there ever were.
func (h *Host) Held() (now, peak int64) { return h.link.heldBytes() }

// lose ends the session on this side.
func (h *Host) lose(err error) {
	h.cancel()
	if !h.link.end(err) {
		return
	}
	h.mu.Lock()
	h.err = err
	close(h.lost)
	terminals := h.terminals
	h.calls, h.terminals = nil, nil // only read from now on
	h.mu.Unlock()
	for _, p := range terminals {
		p.lose(err)
	}
	if !errors.Is(err, ErrClosed) {
		h.tell(State{Lost, err})
	}
}

func (h *Host) tell(s State) {
	h.log.state(s)
	h.pass(s)
}

// pass tells OnState.
func (h *Host) pass(s State) {
	if h.config.OnState != nil {
		h.config.OnState(s)
	}
}

// Resolve implements driver.Host. What the far side says of its sandbox is its claim.
func (h *Host) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	m := resolve{Within: within(ctx), Command: command(c)}
	id, answer, err := ask(ctx, h, kindResolve, nil, func(id uint64) *resolve { m.ID = id; return &m })
	if err != nil {
		return core.Exec{}, err
	}
	if err := h.await(ctx, id, answer); err != nil {
		return core.Exec{}, err
	}
	f := answer.found
	if !f.isOf(&c) {
		return core.Exec{}, errors.New("remote: resolve: the far side would run another command than it was asked for")
	}
	c.Cwd = f.Cwd
	return core.Exec{
		Command: c, Path: f.Path, Argv: f.Argv, Via: f.Via, Sandbox: f.Sandbox, Terms: f.Terms,
		Host: resolvedBy{h, id},
	}, nil
}

// A resolvedBy is the Exec.Host of what a Host has resolved.
type resolvedBy struct {
	host *Host
	id   uint64
}

// Start implements driver.Host. What Resolve returned starts one command; of a thousand that it
// returned the far side forgets the oldest.
func (h *Host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	by, ok := e.Host.(resolvedBy)
	if !ok || by.host != h {
		return nil, errors.New("remote: start: resolved by another host")
	}
	p := newProcess(h, &e.Command)
	m := start{Within: within(ctx), Resolved: by.id, Credit: p.window.granted}
	id, answer, err := ask(ctx, h, kindStart, p, func(id uint64) *start { m.ID, p.id = id, id; return &m })
	if err == nil {
		err = h.await(ctx, id, answer)
	}
	if err != nil {
		p.forget()
		return nil, err
	}
	return p, nil
}

// within returns how much time ctx leaves, or 0 if it has no deadline.
func within(ctx context.Context) time.Duration {
	at, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max(1, time.Until(at))
}

// ask sends a request about p, if it is not nil. Of m it sends what it returns for the ID.
func ask[T any, M wire.Message[T]](ctx context.Context, h *Host, k kind, p *process, m func(id uint64) M) (uint64, *call, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	c := &call{kind: k, process: p, done: make(chan struct{})}
	if k == kindResolve || k == kindStart {
		size := len(wire.Append(nil, m(0)))
		if size > maxFrame-frameHead {
			return 0, nil, &core.HostError{Reason: "too_long", Message: "remote: a command that is too long for the link"}
		}
		c.cost = requestCost(size)
		if err := h.room.enter(ctx, c.cost); err != nil {
			return 0, nil, err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.err != nil:
		h.room.leave(c.cost)
		return 0, nil, h.err
	case k == kindStart && len(h.terminals) >= maxTerminals:
		h.room.leave(c.cost)
		return 0, nil, &core.HostError{Reason: "no_resources", Message: fmt.Sprintf("remote: %d terminals are on this link already", maxTerminals)}
	case k == kindStart:
		h.terminals[h.last+1] = p
	}
	return sendCall(h, c, m), c, nil
}

// sendCall sends a request and returns its ID. h.mu is held, so that IDs go up on the wire.
func sendCall[T any, M wire.Message[T]](h *Host, c *call, m func(id uint64) M) uint64 {
	h.last++
	h.calls[h.last] = c
	send(h.link, c.kind, m(h.last))
	return h.last
}

// await waits for the answer to a Resolve or Start. If ctx ends before, the far side is told that
// nobody does.
func (h *Host) await(ctx context.Context, id uint64, c *call) error {
	select {
	case <-c.done:
		return c.failure
	case <-h.lost:
		return h.err
	case <-ctx.Done():
		send(h.link, kindCancel, &cancel{id})
		return ctx.Err()
	}
}

// answered returns the call that an answer of one of these kinds is for. h.mu is held.
func (h *Host) answered(id uint64, kinds ...kind) (*call, error) {
	c := h.calls[id]
	if c == nil {
		return nil, broken("it answers request %d, which it has not open", id)
	}
	for _, k := range kinds {
		if c.kind == k {
			delete(h.calls, id)
			return c, nil
		}
	}
	return nil, broken("it answers request %d as what that is not", id)
}
