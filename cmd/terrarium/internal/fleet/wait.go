package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A wait is for a worker to claim a session. It looks who is there, to say what is waited for.
type wait struct {
	ctx     context.Context
	config  *PlaceConfig
	js      jetstream.JetStream
	sub     *nats.Subscription
	since   time.Time // when it was made
	heard   chan Presence
	workers map[string]presenceAt // by instance
	why     error                 // why the last request was not taken
	said    string
	asked   uint64 // how often the connection had been made anew when it was asked last
}

type presenceAt struct {
	Presence
	at time.Time
}

// lookAfter is when somebody who has no place yet looks who is there: most have one by then.
const lookAfter = 100 * time.Millisecond

// maxSeen is how many workers are counted.
const maxSeen = 10_000

// errAskAgain: the request may have been lost.
var errAskAgain = errors.New("ask again")

func newWait(ctx context.Context, c *PlaceConfig, js jetstream.JetStream) *wait {
	return &wait{ctx: ctx, config: c, js: js, heard: make(chan Presence, 64), workers: make(map[string]presenceAt)}
}

// problem notes why a request was not taken. It is tried again.
func (w *wait) problem(err error) {
	if e, ok := errors.AsType[jetstream.JetStreamError](err); ok && e.APIError() != nil && e.APIError().ErrorCode == noTTL {
		err = errNoTTL
	}
	w.why = err
}

// forClaim waits for a claim. The error is errAskAgain if the server has started again, or has not
// taken the request.
func (w *wait) forClaim(claims <-chan claim) (claim, error) {
	conn := w.config.Client.nats
	w.asked = conn.Stats().Reconnects
	again := w.why != nil
	look := time.NewTimer(lookAfter)
	defer look.Stop()
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case got := <-claims:
			return got, nil
		case p := <-w.heard:
			if _, known := w.workers[p.Instance]; known || len(w.workers) < maxSeen {
				w.workers[p.Instance] = presenceAt{p, time.Now()}
			}
			continue
		case <-look.C:
			if w.sub == nil {
				w.sub, _ = conn.Subscribe(Heartbeats, w.hear)
				w.since = time.Now()
			}
			continue
		case <-w.config.Client.closed:
			return claim{}, w.config.Client.lastError()
		case <-w.ctx.Done():
			if err := refusedOr(w.ctx, nil); err != nil {
				return claim{}, err
			}
			return claim{}, &NoPlaceError{w.words(time.Now()), context.Cause(w.ctx)}
		case <-tick.C:
		}
		// Who looks for nobody yet can't say that nobody was heard.
		if w.config.OnWait != nil && w.sub != nil && time.Since(w.since) >= heartbeat {
			if words := w.words(time.Now()); words != w.said {
				w.said = words
				w.config.OnWait(words)
			}
		}
		if again || conn.Stats().Reconnects != w.asked {
			w.why = nil
			return claim{}, errAskAgain
		}
	}
}

func (w *wait) hear(m *nats.Msg) {
	p, err := ParsePresence(m.Data)
	if err != nil {
		return
	}
	select {
	case w.heard <- p:
	default: // there are too many to count them all at once
	}
}

// quietTime is after how long a silence means that there is no worker: each says every heartbeat
// that it is there, and may be late.
const quietTime = heartbeat + heartbeat/2

// words say what is waited for, as far as it is known now.
func (w *wait) words(now time.Time) string {
	var workers, draining, failing, fitting, slots, used int
	for _, p := range w.workers {
		if now.Sub(p.at) > 3*heartbeat {
			continue
		}
		if p.Draining {
			draining++
			continue
		}
		if p.Failing {
			failing++
			continue
		}
		workers++
		if p.Labels.satisfy(w.config.Labels) {
			fitting++
			slots += p.Slots
			used += p.Used
		}
	}
	switch {
	case w.config.Client.nats.Status() != nats.CONNECTED:
		return "the connection to the server is broken"
	case errors.Is(w.why, nats.ErrNoResponders), errors.Is(w.why, jetstream.ErrNoStreamResponse):
		return "no worker has joined"
	case w.why != nil:
		return "the server does not take the request: " + w.why.Error()
	case workers == 0 && failing > 0:
		return count(failing, "worker") + " can't start sessions now"
	case workers == 0 && draining > 0:
		return "all workers that were heard are to end"
	case workers == 0 && w.sub == nil:
		return "no worker has taken the request"
	case workers == 0 && now.Sub(w.since) < quietTime:
		return fmt.Sprintf("no worker has taken the request, and none was heard in %v", now.Sub(w.since).Round(100*time.Millisecond))
	case workers == 0:
		return "no worker has joined"
	case fitting == 0:
		return fmt.Sprintf("none of %s has %s", count(workers, "worker"), w.config.Labels)
	}
	ctx, cancel := context.WithTimeout(context.Background(), openTime)
	defer cancel()
	text := fmt.Sprintf("%d of %s taken", used, count(slots, "slot"))
	if n, err := waiting(ctx, w.js); err == nil {
		text += fmt.Sprintf(", %d wait", n)
	}
	return text
}

// count returns "1 slot" or "3 slots".
func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

func (w *wait) end() {
	if w.sub != nil {
		w.sub.Unsubscribe()
	}
}

// A NoPlaceError is why a place was not had.
type NoPlaceError struct {
	Words string // what was waited for
	Err   error  // why that has ended: context.DeadlineExceeded, say
}

func (e *NoPlaceError) Error() string { return e.Words }
func (e *NoPlaceError) Unwrap() error { return e.Err }
