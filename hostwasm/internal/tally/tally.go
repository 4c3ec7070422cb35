// Package tally counts what is open, and lets one wait until nothing is.
package tally

import (
	"sync"
	"time"
)

// A Tally counts. The zero value counts nothing. It is safe for concurrent use.
type Tally struct {
	mu   sync.Mutex // guards what follows
	n    int
	none chan struct{} // closed when n is 0 again; nil if nobody waits
}

// Open counts one more, unless there are max. It reports whether it has.
func (t *Tally) Open(max int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n >= max {
		return false
	}
	t.n++
	return true
}

// Close counts one less.
func (t *Tally) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n--; t.n == 0 && t.none != nil {
		close(t.none)
		t.none = nil
	}
}

// Wait waits until nothing is open, at most so long.
func (t *Tally) Wait(most time.Duration) {
	t.mu.Lock()
	if t.n == 0 {
		t.mu.Unlock()
		return
	}
	if t.none == nil {
		t.none = make(chan struct{})
	}
	none := t.none
	t.mu.Unlock()
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-none:
	case <-late.C:
	}
}
