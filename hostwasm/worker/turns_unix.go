//go:build linux || darwin

package worker

import (
	"context"
	"slices"
	"sync"
)

// turns have one of many do something at a time: compile, which takes a
// gigabyte. Sessions take turns, however many modules each of them has: one that
// starts ten large modules would otherwise hold up all others for as long. The
// zero value is ready, and safe for concurrent use.
type turns struct {
	mu    sync.Mutex
	taken bool
	last  *tmp   // whose turn it is, or was
	queue []turn // in the order in which they came
}

// A turn is somebody who waits.
type turn struct {
	session *tmp // nil for the embedder
	come    chan struct{}
}

// take waits for a turn of the session's. leave ends it.
func (t *turns) take(ctx context.Context, session *tmp) (leave func(), err error) {
	t.mu.Lock()
	if !t.taken {
		t.taken, t.last = true, session
		t.mu.Unlock()
		return t.leave, nil
	}
	mine := turn{session, make(chan struct{})}
	t.queue = append(t.queue, mine)
	t.mu.Unlock()

	select {
	case <-mine.come:
		return t.leave, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	i := slices.IndexFunc(t.queue, func(other turn) bool { return other.come == mine.come })
	if i >= 0 {
		t.queue = slices.Delete(t.queue, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 { // it came at the same moment
		t.leave()
	}
	return nil, context.Cause(ctx)
}

// leave passes the turn on: to the session that has had none for longest, or
// never. Of a session's own the first goes first.
func (t *turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		t.taken = false
		return
	}
	next := slices.IndexFunc(t.queue, func(other turn) bool { return other.session != t.last })
	next = max(next, 0)
	chosen := t.queue[next]
	t.queue = slices.Delete(t.queue, next, next+1)
	// The rest of that session goes behind the others.
	var rest, behind []turn
	for _, other := range t.queue {
		if other.session == chosen.session {
			behind = append(behind, other)
		} else {
			rest = append(rest, other)
		}
	}
	t.queue, t.last = append(rest, behind...), chosen.session
	close(chosen.come)
}
