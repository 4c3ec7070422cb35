package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/terrarium-dev/terrarium/core/driver"
)

// A WorkerConfig says what a worker offers. Client, Name, Slots, and Host or Open and Ready are
// needed.
type WorkerConfig struct {
	Client *Client
	Name   string // as CheckName wants it
	Slots  int    // sessions at once
	Labels Labels
	Host   driver.Host   // starts the commands of all sessions; the worker does not close it
	Lease  time.Duration // how long a session is kept that nobody is connected to; 0: a minute
	// Open, if set, opens a host for one session, in place of Host, and gives up when ctx ends.
	// lost ends the session when its host has, and tells the near side why; it does not wait.
	// After Open has failed the worker takes no more sessions until Ready returns nil.
	Open  func(ctx context.Context, lost func(why error)) (OwnHost, error)
	Ready func(ctx context.Context) error
	// Say, if set, is told in a line what happens. It must not wait.
	Say func(line string)
}

// A Worker takes sessions from the pools that its labels are for, while it has a free slot.
type Worker struct {
	config   WorkerConfig
	instance string
	slots    chan struct{} // one for each free slot
	refused  sync.Once     // of sayRefused
	doubled  sync.Once     // of namesake

	ctx    context.Context // ends when it pulls no more
	stop   context.CancelFunc
	pulls  sync.WaitGroup
	ending sync.WaitGroup // sessions that there are, or something is left of

	mu       sync.Mutex // guards the fields below
	sessions map[string]*farSession
	serial   int
	draining time.Time     // when what is left is ended; zero: it does not drain
	over     bool          // all sessions are being ended
	mended   chan struct{} // closed when hosts can be opened again; nil: they can
}

const (
	defaultWorkerLease = time.Minute
	// pullTime is how long one pull waits for a request. It is short where several pools wait for
	// the same slot.
	pullTime      = 2 * time.Second
	sharedPull    = 250 * time.Millisecond
	retryPull     = time.Second // after a pull that has failed
	claimAttempts = 3
	claimAnswer   = 2 * time.Second // for each of them
)

// NewWorker returns a worker that [Worker.Run] has work.
func NewWorker(c WorkerConfig) (*Worker, error) {
	if err := CheckName(c.Name); err != nil {
		return nil, err
	}
	if c.Slots < 1 || c.Slots > MaxSlots {
		return nil, fmt.Errorf("%d slots: want 1 to %d", c.Slots, MaxSlots)
	}
	if c.Lease <= 0 {
		c.Lease = defaultWorkerLease
	}
	if c.Say == nil {
		c.Say = func(string) {}
	}
	w := &Worker{
		config: c, instance: rand.Text(), slots: make(chan struct{}, c.Slots),
		sessions: make(map[string]*farSession),
	}
	for range c.Slots {
		w.slots <- struct{}{}
	}
	w.ctx, w.stop = context.WithCancel(context.Background())
	return w, nil
}

// Run takes sessions until it is drained, ctx ends, or the server refuses to have it. The first
// ends with the last session, the others end all sessions at once.
func (w *Worker) Run(ctx context.Context) error {
	defer w.stop()
	js, leave, err := w.join(ctx)
	if err != nil {
		return err
	}
	defer leave()
	defer w.config.Client.refusals.add(w.sayRefused)()
	w.sayJoined()
	for _, pool := range w.config.Labels.pools() {
		w.pulls.Go(func() { w.pull(js, pool) })
	}
	err = w.untilDrained(ctx)
	w.stop()
	w.pulls.Wait()
	w.endAll()
	w.ending.Wait()
	w.tell() // the last one: it has no slots in use
	return err
}

// join has the server let the worker do what it has to do, or says why it does not. It is heard
// until leave.
func (w *Worker) join(ctx context.Context) (_ jetstream.JetStream, leave func(), err error) {
	c := w.config.Client
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	ctx, stop := c.heed(ctx)
	defer stop()
	var heard []*nats.Subscription
	leave = func() {
		for _, sub := range heard {
			sub.Unsubscribe()
		}
	}
	defer func() {
		if err != nil {
			leave()
			err = fmt.Errorf("%s: %w", c.access.URL, refusedOr(ctx, err))
		}
	}()
	js, err := c.queue(ctx)
	if err != nil {
		return nil, leave, err
	}
	for subject, hear := range map[string]nats.MsgHandler{
		DrainSubject(w.config.Name):     w.drainAsked,
		HeartbeatSubject(w.config.Name): w.namesake,
	} {
		sub, err := c.nats.Subscribe(subject, hear)
		if err != nil {
			return nil, leave, err
		}
		heard = append(heard, sub)
	}
	w.tell()
	if _, err := consumer(ctx, js, DefaultPool); err != nil {
		return nil, leave, err
	}
	return js, leave, c.settle(ctx)
}

// sayJoined says that the worker takes sessions from now on, and whose.
func (w *Worker) sayJoined() {
	line := "joined"
	if tenant := w.config.Client.tenant; tenant != "" {
		line += " tenant " + tenant
	}
	w.config.Say(line + ": " + count(w.config.Slots, "slot"))
}

// namesake says that another worker has the same name, the first time that one is heard.
func (w *Worker) namesake(m *nats.Msg) {
	p, err := ParsePresence(m.Data)
	if err == nil && p.Name == w.config.Name && p.Instance != w.instance && !p.Draining {
		w.doubled.Do(func() { w.config.Say("another worker has this name, too, and is asked to drain when this one is") })
	}
}

// sayRefused says what a worker that is at work is not permitted any longer, the first time.
func (w *Worker) sayRefused(e *refusedError) {
	w.refused.Do(func() { w.config.Say(e.Error()) })
}

// untilDrained tells that the worker is there until it is to end.
func (w *Worker) untilDrained(ctx context.Context) error {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		w.tell()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-w.config.Client.closed:
			return fmt.Errorf("the server has ended the connection for good: %w", w.config.Client.lastError())
		case <-w.ctx.Done():
			if w.drained() {
				return nil
			}
			select { // and look again soon
			case <-tick.C:
			case <-time.After(drainLook):
			}
		}
	}
}

// drainLook is how often a worker that drains looks whether it is empty.
const drainLook = 50 * time.Millisecond

// drained reports whether no session is left, or the time is over.
func (w *Worker) drained() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.sessions) == 0 || !time.Now().Before(w.draining)
}

// Drain has the worker take no more sessions. Those that it has are told, and ended when that much
// time is over. To call it again may shorten that time. It returns how many they are.
func (w *Worker) Drain(within time.Duration) (sessions int) {
	at := time.Now().Add(within)
	w.mu.Lock()
	if !w.draining.IsZero() && w.draining.Before(at) {
		at = w.draining
	}
	w.draining = at
	var told []*farSession
	for _, s := range w.sessions {
		told = append(told, s)
	}
	w.mu.Unlock()
	w.stop()
	for _, s := range told {
		s.tellDraining(time.Until(at))
	}
	return len(told)
}

// drainAsked is Drain for who asks from elsewhere.
func (w *Worker) drainAsked(m *nats.Msg) {
	var q DrainRequest
	if json.Unmarshal(m.Data, &q) != nil || !q.Drain || q.Within < 0 {
		return
	}
	w.config.Say(fmt.Sprintf("somebody asks it to drain within %v", q.Within))
	w.Drain(q.Within)
	w.tell() // which is the answer: a reply could be sent anywhere
}

func (w *Worker) presence() Presence {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Presence{
		Name: w.config.Name, Instance: w.instance, Slots: w.config.Slots, Used: len(w.sessions),
		Labels: w.config.Labels, Draining: !w.draining.IsZero(), Failing: w.mended != nil,
	}
}

// tell says that the worker is there.
func (w *Worker) tell() {
	b, _ := json.Marshal(w.presence())
	w.config.Client.nats.Publish(HeartbeatSubject(w.config.Name), b)
}

// pull takes requests of a pool while there is a free slot: what a pull returns has one.
func (w *Worker) pull(js jetstream.JetStream, pool string) {
	var from jetstream.Consumer
	for w.awaitMended() { // where there is a free slot, too
		select {
		case <-w.ctx.Done():
			return
		case <-w.slots:
		}
		m, err := w.pullOne(js, pool, &from)
		switch {
		case m != nil && (w.ctx.Err() != nil || w.failing() != nil):
			m.Nak() // for another worker
			fallthrough
		case m == nil:
			w.slots <- struct{}{}
		default:
			w.ending.Go(func() { w.claim(m) })
		}
		if err != nil {
			from = nil // the server may have forgotten it
			select {
			case <-w.ctx.Done():
			case <-time.After(retryPull):
			}
		}
	}
}

// pullOne waits for a request a while. m is nil if there was none.
func (w *Worker) pullOne(js jetstream.JetStream, pool string, from *jetstream.Consumer) (m jetstream.Msg, err error) {
	if *from == nil {
		ctx, cancel := context.WithTimeout(w.ctx, connectLimit)
		defer cancel()
		if *from, err = consumer(ctx, js, pool); err != nil {
			*from = nil
			if errors.Is(err, jetstream.ErrStreamNotFound) {
				ensureStream(ctx, js) // its disk is another one, say
			}
			return nil, err
		}
	}
	wait := pullTime
	if len(w.slots) == 0 && len(w.config.Labels) > 0 {
		wait = sharedPull
	}
	batch, err := (*from).Fetch(1, jetstream.FetchMaxWait(wait))
	if err != nil {
		return nil, err
	}
	for got := range batch.Messages() {
		m = got
	}
	if m != nil {
		return m, nil
	}
	return nil, batch.Error()
}

// claim asks who has made a request whether the session is still wanted, and serves it if so. It
// has taken a slot.
func (w *Worker) claim(m jetstream.Msg) {
	user := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
	name, err := parseRequest(m.Data())
	if err != nil || !isToken(user) {
		m.Term() // nobody can have meant it
		w.slots <- struct{}{}
		return
	}
	s, err := w.newSession(user, name)
	if err != nil {
		if errors.Is(err, errHere) {
			m.Ack() // the first time it was not heard
		} else {
			m.Nak()
		}
		w.slots <- struct{}{}
		return
	}
	err = s.claim()
	info, _ := m.Metadata()
	switch {
	case errors.Is(err, errUnanswered) && info != nil && info.NumDelivered < deliverLimit:
		m.NakWithDelay(retryPull)
	default:
		// Until the server has heard it, another worker might claim it, in vain.
		ctx, cancel := context.WithTimeout(context.Background(), connectLimit)
		defer cancel()
		m.DoubleAck(ctx)
	}
	if err != nil {
		s.end()
		return
	}
	w.tell()
}

var errHere = errors.New("the session is here already")

// newSession makes a session that is not claimed yet.
func (w *Worker) newSession(user, name string) (*farSession, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.over, !w.draining.IsZero():
		return nil, errors.New("the worker takes no more")
	case w.sessions[user+"."+name] != nil:
		return nil, errHere
	}
	w.serial++
	s := newFarSession(w, user, name, w.serial)
	var err error
	if s.sub, err = w.config.Client.subscribe(s.up, s.handle); err != nil {
		return nil, err
	}
	w.sessions[user+"."+name] = s
	w.ending.Add(1) // until drop
	return s, nil
}

// drop forgets a session of which nothing is left, and frees its slot.
func (w *Worker) drop(s *farSession) {
	w.mu.Lock()
	delete(w.sessions, s.user+"."+s.name)
	w.mu.Unlock()
	w.slots <- struct{}{}
	w.tell()
	w.ending.Done()
}

// endAll ends all sessions.
func (w *Worker) endAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	for _, s := range w.sessions {
		go s.end() // Run waits for it
	}
}

// A DrainRequest asks a worker to drain.
type DrainRequest struct {
	Drain  bool          `json:"drain"`  // true: other answers of the server lack it
	Within time.Duration `json:"within"` // nanoseconds
}
