package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// A farSession is what the far side has of a session.
type farSession struct {
	server *Server
	id     sessionID
	serial uint64 // counts the server's sessions: unlike the id it is no secret
	lease  time.Duration
	link   *link
	pool   *pool // of the windows for input

	ctx    context.Context // ends with the session, or a failed start of one
	cancel context.CancelFunc
	work   sync.WaitGroup // its goroutines

	mu        sync.Mutex // comes before a terminal's and the link's
	attempt   uint64     // of the newest hello
	expiry    *time.Timer
	last      uint64 // the newest ID
	open      int64  // what requests that are not answered take of the room
	requests  map[uint64]*request
	found     execs
	terminals map[uint64]*served
	ended     bool
}

// A request is a Resolve or Start that is not answered.
type request struct {
	cancel    context.CancelFunc
	cost      int64
	forgotten bool // nobody waits for the answer
}

func newFarSession(s *Server, h *nearHello) *farSession {
	f := &farSession{
		server: s, id: h.Session, serial: s.serial, lease: s.leaseOf(h), pool: newPool(), attempt: h.Attempt,
		requests: make(map[uint64]*request), terminals: make(map[uint64]*served),
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.link = newLink(f.handle)
	f.expiry = time.AfterFunc(f.lease, f.expire)
	f.expiry.Stop()
	return f
}

var errLease = errors.New("remote: there was no connection for as long as the lease")

func (f *farSession) expire() {
	if !f.link.busy() { // or it will be begun again
		f.finish("its lease was over", errLease)
	}
}

// attach notes a new hello, and reports whether it is one.
func (f *farSession) attach(attempt uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended || attempt <= f.attempt {
		return false
	}
	f.attempt = attempt
	return true
}

// serve has a connection be the session's until it breaks.
func (f *farSession) serve(conn io.ReadWriteCloser, h *nearHello, answer farHello) error {
	f.expiry.Stop()
	turn, taken := f.link.begin()
	answer.Taken = taken
	if err := writeHello(conn, fromFar, &answer); err != nil {
		return err
	}
	if err := f.link.resume(turn, h.Taken); err != nil {
		return err
	}
	return f.link.carry(turn, conn, &frameReader{r: conn}, f.server.config.KeepAlive)
}

// unusedLease is the lease of a session that nothing was ever asked of: its near side has mostly
// given up, and it takes the place of another.
const unusedLease = time.Minute

// detach begins the lease of a session without a connection.
func (f *farSession) detach() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended || f.link.busy() {
		return
	}
	lease := f.lease
	if f.last == 0 {
		lease = min(lease, unusedLease)
	}
	f.expiry.Reset(lease)
}

// running returns how many terminals it has.
func (f *farSession) running() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.terminals)
}

// finish ends the session and tells the near side why.
func (f *farSession) finish(text string, why error) {
	send(f.link, kindEnd, &end{text})
	f.link.flush(endLimit)
	f.end(why)
}

// end kills all that runs, and returns when nothing is left of it.
func (f *farSession) end(why error) {
	f.mu.Lock()
	if f.ended {
		f.mu.Unlock()
		return
	}
	f.ended = true
	terminals := f.terminals
	f.terminals, f.found = nil, execs{}
	f.mu.Unlock()
	f.expiry.Stop()
	f.link.end(why)
	f.link.settle()
	f.cancel()
	for _, t := range terminals {
		f.work.Go(t.close)
	}
	f.work.Wait()
	f.server.drop(f, why)
}

// handle does what a frame of the near side says.
func (f *farSession) handle(r *received) error {
	switch r.kind {
	case kindResolve:
		return handled(r, func(m *resolve) error {
			return f.begin(m.ID, m.Within, requestCost(len(r.body)), func(ctx context.Context) { f.resolve(ctx, m.ID, core.Command(m.Command)) })
		})
	case kindStart:
		return handled(r, func(m *start) error {
			return f.begin(m.ID, m.Within, requestCost(len(r.body)), func(ctx context.Context) { f.start(ctx, m) })
		})
	case kindCancel:
		return handled(r, f.forget)
	case kindWrite:
		return handled(r, func(m *write) error {
			return f.about(m.Terminal, func(t *served) error { return t.handleWrite(m) })
		})
	case kindCredit:
		return handled(r, func(m *credit) error {
			return f.about(m.Terminal, func(t *served) error { return t.handleCredit(m) })
		})
	case kindCloseInput, kindClose:
		k := r.kind
		return handled(r, func(m *operation) error {
			return f.operate(m.ID, m.Terminal, func(t *served) error { return t.handleOperation(k, m.ID) })
		})
	case kindResize:
		return handled(r, func(m *resize) error {
			return f.operate(m.ID, m.Terminal, func(t *served) error { return t.handleResize(m) })
		})
	case kindSignal:
		return handled(r, func(m *signal) error {
			return f.operate(m.ID, m.Terminal, func(t *served) error { return t.handleSignal(m) })
		})
	case kindEnd:
		return handled(r, (*end).error)
	}
	return broken("a frame of kind %d", r.kind)
}

// number notes a new ID. f.mu is held.
func (f *farSession) number(id uint64) error {
	if id <= f.last {
		return broken("request %d after %d", id, f.last)
	}
	f.last = id
	return nil
}

// about does something with a terminal that runs.
func (f *farSession) about(id uint64, do func(t *served) error) error {
	f.mu.Lock()
	t := f.terminals[id]
	ended := f.ended
	f.mu.Unlock()
	switch {
	case ended:
		return errServerClosed
	case t == nil && id > f.last:
		return broken("it speaks of terminal %d, which there is not", id)
	case t == nil: // it was closed meanwhile, as one that it had asked for and given up is
		return nil
	}
	if err := do(t); err != nil {
		return fmt.Errorf("%w (terminal %d)", err, id)
	}
	return nil
}

// operate is about for a request that is answered by a Done.
func (f *farSession) operate(id, terminal uint64, do func(t *served) error) error {
	f.mu.Lock()
	err := f.number(id)
	t := f.terminals[terminal]
	f.mu.Unlock()
	switch {
	case err != nil:
		return err
	case t == nil: // it was closed just before
		send(f.link, kindDone, &done{id, failed(errClosed)})
		return nil
	}
	return do(t)
}

// begin has a Resolve or Start carried out.
func (f *farSession) begin(id uint64, within time.Duration, cost int64, do func(ctx context.Context)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return errServerClosed
	}
	if err := f.number(id); err != nil {
		return err
	}
	if f.open += cost; f.open > requests {
		return broken("too many requests at once")
	}
	r := &request{cost: cost}
	var ctx context.Context
	if within > 0 {
		ctx, r.cancel = context.WithTimeout(f.ctx, within)
	} else {
		ctx, r.cancel = context.WithCancel(f.ctx)
	}
	f.requests[id] = r
	f.work.Go(func() { do(ctx) })
	return nil
}

// answer notes that a request is answered, and reports whether nobody waits for that. f.mu is held.
func (f *farSession) answer(id uint64) (forgotten bool) {
	r := f.requests[id]
	delete(f.requests, id)
	f.open -= r.cost
	r.cancel()
	return r.forgotten || f.ended
}

// forget gives up a request for whose answer nobody waits.
func (f *farSession) forget(m *cancel) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.requests[m.ID]; r != nil {
		r.forgotten = true
		r.cancel()
	}
	f.found.take(m.ID)
	return nil
}

func (f *farSession) resolve(ctx context.Context, id uint64, c core.Command) {
	e, err := f.resolveOnHost(ctx, c)
	m := resolved{ID: id, Failure: failed(err)}
	if err == nil {
		m.Found = found{e.Command.Cwd, e.Path, e.Sandbox, e.Terms, e.Argv, e.Via}
		if !m.Found.possible() { // the near side would take us for hostile
			err = errors.New("remote: the far side's host has resolved the command to what can't be")
			m.Failure, m.Found = failed(err), found{}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if forgotten := f.answer(id); !forgotten && err == nil {
		f.found.put(id, e)
	}
	send(f.link, kindResolved, &m)
}

// resolveOnHost resolves what a near side may ask for. Its sessions are others than those of the
// same name of another near side.
func (f *farSession) resolveOnHost(ctx context.Context, c core.Command) (core.Exec, error) {
	if err := c.Validate(); err != nil {
		return core.Exec{}, err
	}
	c.Session = core.SessionID(number(f.serial)) + "/" + c.Session
	return f.server.config.Host.Resolve(ctx, c)
}

func (f *farSession) start(ctx context.Context, m *start) {
	f.mu.Lock()
	e, ok := f.found.take(m.Resolved)
	full := len(f.terminals) >= maxTerminals
	f.mu.Unlock()
	err := error(&core.HostError{Reason: "start_failed", Message: "remote: it was resolved too long ago, or started before"})
	switch {
	case ok && full:
		err = &core.HostError{Reason: "no_resources", Message: fmt.Sprintf("remote: the far side has %d terminals already", maxTerminals)}
	case ok:
		var t *served
		if t, err = f.startOnHost(ctx, e, m); err == nil {
			f.serveTerminal(t)
			return
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer(m.ID)
	send(f.link, kindStarted, &started{ID: m.ID, Failure: failed(err)})
}

func (f *farSession) startOnHost(ctx context.Context, e core.Exec, m *start) (*served, error) {
	if m.Credit < 0 || m.Credit > maxWindow {
		return nil, errors.New("remote: credit that can't be")
	}
	p, err := f.server.config.Host.Start(ctx, e)
	if err != nil {
		return nil, err
	}
	return newServed(f, m.ID, p, m.Credit), nil
}

// serveTerminal makes what has started a terminal. One that nobody waits for is closed by the near
// side, when it hears of it.
func (f *farSession) serveTerminal(t *served) {
	f.mu.Lock()
	f.answer(t.id)
	ended := f.ended
	if !ended {
		f.terminals[t.id] = t
		send(f.link, kindStarted, &started{ID: t.id, Credit: t.window.granted})
		t.telling.Go(t.readOutput)
		t.telling.Go(t.awaitExit)
	}
	f.mu.Unlock()
	if ended {
		t.close()
	}
}
