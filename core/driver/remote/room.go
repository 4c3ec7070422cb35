package remote

import (
	"context"
	"sync"
)

// A room bounds what requests hold in memory. Who comes first is let in first. It is safe for
// concurrent use.
type room struct {
	mu      sync.Mutex
	free    int64
	waiting []*waiter
}

type waiter struct {
	n       int64
	entered chan struct{}
}

// requestCost is what a request of n bytes takes of the room: so there are 256 at once.
func requestCost(n int) int64 { return max(int64(n), requests/256) }

// enter waits for n bytes of room, or until ctx ends.
func (r *room) enter(ctx context.Context, n int64) error {
	r.mu.Lock()
	if len(r.waiting) == 0 && n <= r.free {
		r.free -= n
		r.mu.Unlock()
		return nil
	}
	w := &waiter{n, make(chan struct{})}
	r.waiting = append(r.waiting, w)
	r.mu.Unlock()
	select {
	case <-w.entered:
		return nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, other := range r.waiting {
		if other == w {
			r.waiting = append(r.waiting[:i], r.waiting[i+1:]...)
			r.admit()
			return ctx.Err()
		}
	}
	r.free += n // it was let in meanwhile
	r.admit()
	return ctx.Err()
}

func (r *room) leave(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free += n
	r.admit()
}

// admit lets in those who can be. r.mu is held.
func (r *room) admit() {
	for len(r.waiting) > 0 && r.waiting[0].n <= r.free {
		r.free -= r.waiting[0].n
		close(r.waiting[0].entered)
		r.waiting = r.waiting[1:]
	}
}
