//go:build linux || darwin

package worker

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/core"
)

// turns have one of many do something at a time: compile, which takes a
// gigabyte. Those who ask take turns, however many modules each of them has: who
// starts ten large modules would otherwise hold up all others for as long. The
// zero value is ready, and safe for concurrent use.
type turns struct {
	mu    sync.Mutex
	taken bool
	last  asker  // whose turn it is, or was
	queue []turn // in the order in which they came
}

// A turn is somebody who waits.
type turn struct {
	asker asker
	come  chan struct{}
}

// An asker is who takes turns: a peer, who may have as many sessions as it likes,
// or a session where there are no peers to tell apart. Empty is the embedder.
type asker string

// askerOf returns who has a session. What tells peers apart is behind the last
// "@": see acpconn.
func askerOf(s core.SessionID) asker {
	if i := strings.LastIndexByte(string(s), '@'); i >= 0 {
		s = s[i:]
	}
	return asker(s)
}

// take waits for a turn of the asker's. leave ends it.
func (t *turns) take(ctx context.Context, a asker) (leave func(), err error) {
	t.mu.Lock()
	if !t.taken {
		t.taken, t.last = true, a
		t.mu.Unlock()
		return t.leave, nil
	}
	mine := turn{a, make(chan struct{})}
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

// leave passes the turn on: to who has had none for longest, or never. Of one's own
// the first goes first.
func (t *turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		t.taken = false
		return
	}
	next := slices.IndexFunc(t.queue, func(other turn) bool { return other.asker != t.last })
	next = max(next, 0)
	chosen := t.queue[next]
	t.queue = slices.Delete(t.queue, next, next+1)
	// The rest of the same goes behind the others.
	var rest, behind []turn
	for _, other := range t.queue {
		if other.asker == chosen.asker {
			behind = append(behind, other)
		} else {
			rest = append(rest, other)
		}
	}
	t.queue, t.last = append(rest, behind...), chosen.asker
	close(chosen.come)
}
