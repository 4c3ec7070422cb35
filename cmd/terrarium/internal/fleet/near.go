package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A PlaceConfig says which place is wanted. Only Client is needed.
type PlaceConfig struct {
	Client *Client
	Labels Labels // a worker has to have them all
	// OnWait, if set, is told in words what is waited for: after a heartbeat or two, and then
	// whenever the words are others. It must not wait.
	OnWait func(words string)
	// OnDrain, if set, is told that the worker takes no new sessions, and in words for how long it
	// keeps this one. It must not wait.
	OnDrain func(worker, within string)
}

// A Place is a slot of a worker that is the near side's until Close.
type Place struct {
	config  PlaceConfig
	session string
	worker  string // its name
	up      string // the subject of what is sent
	sub     *nats.Subscription

	// Of the goroutine that dials.
	first  *link  // of the claim
	number uint64 // of the newest link

	mu       sync.Mutex // guards the fields below
	link     *link      // the newest
	answer   chan error // of the link's open
	drainSay string     // what was said of it
	heard    time.Time  // when the worker last said anything
	closed   bool
}

// openTime is for how long one answer is waited for.
const openTime = 2 * time.Second

// NewPlace asks for a place and waits until a worker has claimed it, or ctx ends. Then the error is
// a *NoPlaceError, and says who else waits. What the server does not permit is not waited for.
func NewPlace(ctx context.Context, c PlaceConfig) (*Place, error) {
	js, err := jetstream.New(c.Client.nats)
	if err != nil {
		return nil, err
	}
	// Without these two it knows less of what it waits for.
	ctx, stop := c.Client.heed(ctx, Heartbeats, streamInfo)
	defer stop()
	p := &Place{config: c}
	w := newWait(ctx, &p.config, js)
	defer w.end()
	for {
		placed, err := p.try(ctx, js, w)
		switch {
		case err != nil:
			return nil, err
		case placed:
			return p, nil
		}
		// It has died in between, or is late, and nothing was asked of it: another one may have it.
		select {
		case <-time.After(openPause):
		case <-ctx.Done(): // as forClaim will say
		}
	}
}

// try asks for a place, and reports whether it has one. It does so under a name of its own: a
// worker that is late may have that of the last try, and takes no other request for it.
func (p *Place) try(ctx context.Context, js jetstream.JetStream, w *wait) (placed bool, err error) {
	p.session = rand.Text()
	claims := make(chan claim, 4)
	sub, err := p.config.Client.subscribe(ClaimSubject(p.config.Client.user, p.session), func(m *nats.Msg) {
		got, err := parseClaim(m.Data)
		if err != nil {
			return
		}
		select {
		case claims <- got:
		default: // it will claim again
		}
	})
	if err != nil {
		return false, err
	}
	defer sub.Unsubscribe() // whoever claims it later learns that nobody is there
	for {
		if err := p.ask(ctx, js); err != nil {
			w.problem(err)
		}
		got, err := w.forClaim(claims)
		switch {
		case err == errAskAgain:
			continue
		case err != nil:
			return false, err
		}
		if err := p.accept(ctx, &got); err != nil {
			return false, nil
		}
		p.refuseOthers(claims)
		return true, nil
	}
}

// ask puts the request into its pool.
func (p *Place) ask(ctx context.Context, js jetstream.JetStream) error {
	b, err := json.Marshal(request{1, p.session})
	if err != nil {
		return err
	}
	var options []jetstream.PublishOpt
	if until, ok := ctx.Deadline(); ok {
		options = append(options, jetstream.WithMsgTTL(requestTTL(time.Until(until))))
	}
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	_, err = js.Publish(ctx, RequestSubject(p.config.Labels.pool(), p.config.Client.user), b, options...)
	return err
}

// requestTTL is how long a request is kept that somebody waits for so long: NATS counts in seconds,
// and it must not go sooner.
func requestTTL(left time.Duration) time.Duration {
	return max(0, left).Truncate(time.Second) + time.Second
}

// accept opens the first link to who has claimed the session.
func (p *Place) accept(ctx context.Context, got *claim) (err error) {
	c := p.config.Client
	p.worker = got.Name
	p.up = FarSubject(c.user, p.session, got.Key, got.Instance)
	down := NearSubject(c.user, p.session, got.Key, got.Instance)
	if p.sub, err = c.subscribe(down, p.handle); err != nil {
		return err
	}
	if p.first, err = p.open(ctx, down); err != nil {
		p.sub.Unsubscribe()
		return err
	}
	return nil
}

// refuseOthers tells who has claimed the session too that it is taken.
func (p *Place) refuseOthers(claims chan claim) {
	for {
		select {
		case got := <-claims:
			m := message{kind: kindRefused, conn: 1, body: []byte("another worker has it")}
			if up := FarSubject(p.config.Client.user, p.session, got.Key, got.Instance); up != p.up {
				p.config.Client.nats.Publish(up, m.append(nil))
			}
		default:
			return
		}
	}
}

// open makes a link to the worker.
func (p *Place) open(ctx context.Context, down string) (*link, error) {
	answer := make(chan error, 1)
	p.number++
	l := newLink(p.number, heartbeat, p.config.Client.publisher(p.up, down))
	p.mu.Lock()
	old := p.link
	p.link, p.answer = l, answer
	closed := p.closed
	p.mu.Unlock()
	if old != nil {
		old.end(errDisplaced)
	}
	if closed {
		l.end(os.ErrClosed)
		return nil, os.ErrClosed
	}
	err := l.send(kindOpen, nil)
	if err == nil {
		late := time.NewTimer(openTime)
		defer late.Stop()
		select {
		case err = <-answer:
		case <-late.C:
			err = errSilent
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		l.end(err)
		return nil, err
	}
	return l, nil
}

// handle takes what the worker sends. It is called for one message at a time.
func (p *Place) handle(m *nats.Msg) {
	p.mu.Lock()
	l, answer := p.link, p.answer
	p.mu.Unlock()
	tell := func(err error) {
		select {
		case answer <- err:
		default:
		}
	}
	switch {
	case l == nil:
		return
	case isNobody(m):
		tell(errNobody)
		l.end(fmt.Errorf("worker %s: %w", p.worker, errNobody))
		return
	}
	got, err := parseMessage(m.Data)
	if err != nil {
		tell(err)
		l.end(err)
		return
	}
	p.hear()
	switch {
	case got.conn != l.number:
		return
	case got.kind == kindRefused:
		tell(fmt.Errorf("worker %s refuses: %q", p.worker, got.body))
		return
	case got.kind == kindDraining:
		p.drains(got.body)
	}
	l.receive(&got)
	if got.kind == kindOpened {
		tell(nil)
	}
}

func (p *Place) hear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = time.Now()
}

// settled reports whether the worker is gone if the server says that it is not there.
func (p *Place) settled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.config.Client.settled(p.heard)
}

// drains says that the worker drains, once.
func (p *Place) drains(within []byte) {
	d, err := time.ParseDuration(string(within))
	if err != nil || d < 0 {
		return
	}
	p.mu.Lock()
	first := p.drainSay == ""
	p.drainSay = d.String()
	p.mu.Unlock()
	if first && p.config.OnDrain != nil {
		p.config.OnDrain(p.worker, d.String())
	}
}

// Worker is the name of the worker.
func (p *Place) Worker() string { return p.worker }

// Dial is the Dial of a remote.Config. Where the worker is no more, the error is remote.ErrGone.
func (p *Place) Dial(ctx context.Context) (io.ReadWriteCloser, error) {
	if l := p.first; l != nil {
		p.first = nil
		return l, nil
	}
	again := redial{
		worker:    p.worker,
		connected: p.config.Client.connected,
		open:      func(ctx context.Context) (*link, error) { return p.open(ctx, p.sub.Subject) },
		settled:   p.settled,
		isClosed:  p.isClosed,
	}
	return again.dial(ctx)
}

func (p *Place) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// Close gives the place up. It comes after the remote.Host's, which has the worker end the session.
func (p *Place) Close() error {
	p.mu.Lock()
	p.closed = true
	l := p.link
	p.mu.Unlock()
	if l != nil {
		l.Close()
	}
	p.sub.Unsubscribe()
	return nil
}
