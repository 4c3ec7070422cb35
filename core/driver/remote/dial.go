package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"time"
)

// Connect makes the first connection and begins a session. ctx bounds that only. The error is
// Dial's, or says what the other side said instead of a hello.
func Connect(ctx context.Context, c Config) (*Host, error) {
	if c.Lease <= 0 {
		c.Lease = defaultLease
	}
	if c.KeepAlive <= 0 {
		c.KeepAlive = defaultKeepAlive
	}
	h := newHost(c)
	rand.Read(h.session[:]) // it never fails
	first, err := h.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	go h.keep(first) // ends with the session
	return h, nil
}

// An attached is a connection on which the far side has taken up the session.
type attached struct {
	conn io.ReadWriteCloser
	turn uint64
}

// connect makes one connection and has the far side take up the session.
func (h *Host) connect(ctx context.Context) (*attached, error) {
	conn, err := h.config.Dial(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	a, err := h.greet(conn)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return a, nil
}

// A refusedError is why the far side does not take up the session.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return "the far side refuses: " + e.text }

// greet exchanges hellos.
func (h *Host) greet(conn io.ReadWriteCloser) (*attached, error) {
	turn, taken := h.link.begin()
	h.attempt++
	hello := nearHello{
		Oldest: oldestVersion, Newest: version, Session: h.session,
		Attempt: h.attempt, Resume: h.begun, Taken: taken, Lease: h.config.Lease,
	}
	if err := writeHello(conn, fromNear, &hello); err != nil {
		// What the other side has said is why.
		if answer := readHello(conn, fromFar, new(farHello)); answer != nil {
			err = answer
		}
		return nil, err
	}
	var answer farHello
	if err := readHello(conn, fromFar, &answer); err != nil {
		return nil, err
	}
	switch {
	case answer.Refusal != "":
		return nil, &refusedError{answer.Refusal}
	case answer.Version < oldestVersion || answer.Version > version:
		return nil, broken("it answers with version %d of the protocol", answer.Version)
	}
	if err := h.link.resume(turn, answer.Taken); err != nil {
		return nil, err
	}
	h.begun = true
	if 0 < answer.Lease && answer.Lease < h.lease {
		h.lease = answer.Lease
	}
	return &attached{conn, turn}, nil
}

// keep has the session have a connection until it ends.
func (h *Host) keep(a *attached) {
	defer close(h.kept)
	wait := backoff{}
	for {
		before := h.link.progress()
		began := time.Now()
		err := h.link.carry(a.turn, a.conn, &frameReader{r: a.conn}, h.config.KeepAlive)
		if isFinal(err) || h.ctx.Err() != nil || h.closing.Load() {
			h.lose(h.orClosed(err))
			return
		}
		if h.link.progress() != before || time.Since(began) > h.config.KeepAlive {
			wait = backoff{}
		}
		h.tell(State{Reconnecting, err})
		told := failures{}
		told.add(err)
		if a, err = h.reconnect(&wait, told); err != nil {
			h.lose(h.orClosed(err))
			return
		}
		h.tell(State{Link: Resumed})
	}
}

// orClosed returns why the session ends, where err is what came of it.
func (h *Host) orClosed(err error) error {
	if h.ctx.Err() != nil || h.closing.Load() {
		return ErrClosed
	}
	return err
}

// reconnect tries to connect until the lease is over. Why an attempt has failed is told, unless
// told has it.
func (h *Host) reconnect(wait *backoff, told failures) (*attached, error) {
	over, cancel := context.WithTimeout(h.ctx, h.lease)
	defer cancel()
	var last error
	for {
		if pause := wait.next(); pause > 0 {
			timer := time.NewTimer(pause)
			select {
			case <-timer.C:
			case <-over.Done():
				timer.Stop()
			}
		}
		if over.Err() != nil {
			return nil, fmt.Errorf("there was no connection for %v: %w", h.lease, last)
		}
		a, err := h.connectWithin(over)
		if err == nil || isFinal(err) {
			return a, err
		}
		if last == nil || over.Err() == nil {
			last = err
		}
		if over.Err() == nil && !h.closing.Load() && told.add(err) {
			h.log.failed(err)
			h.pass(State{Reconnecting, err})
		}
	}
}

// The failures are what was told since a connection has broken of why there is none.
type failures map[string]bool

// maxReasons is how many are told: the far side may give another one for each attempt.
const maxReasons = 20

// add reports whether err is a new reason that is to be told.
func (f failures) add(err error) bool {
	text := err.Error()
	if f[text] || len(f) == maxReasons {
		return false
	}
	f[text] = true
	return true
}

// attemptLimit is how long one attempt may take, so that others follow it.
const attemptLimit = time.Minute

// connectWithin makes an attempt. Where it takes too long, the error says so: that of the
// connection is only that we have closed it.
func (h *Host) connectWithin(ctx context.Context) (*attached, error) {
	attempt, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	a, err := h.connect(attempt)
	if err != nil && !isFinal(err) && attempt.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("the far side has not answered for %v", attemptLimit)
	}
	return a, err
}

// ErrGone is what an error of Config.Dial is that knows that the far side is no more. The session
// is lost then, before its lease is over.
var ErrGone = errors.New("it is gone")

// isFinal reports whether it is of no use to connect again.
func isFinal(err error) bool {
	return errors.Is(err, errBroken) || errors.Is(err, ErrGone) || errors.As(err, new(*refusedError)) || errors.As(err, new(*endedError))
}

// A backoff says how long to wait before the next attempt: not at all before the first, and then
// longer each time.
type backoff struct{ attempts int }

const (
	firstPause   = 50 * time.Millisecond
	longestPause = 10 * time.Second
)

// next returns a time of which the half is chance, so that those who were cut off together do not
// come back together.
func (b *backoff) next() time.Duration {
	b.attempts++
	if b.attempts == 1 {
		return 0
	}
	pause := min(longestPause, firstPause<<min(b.attempts-2, 20))
	return pause/2 + mathrand.N(pause)
}
