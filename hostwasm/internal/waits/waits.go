// Package waits measures time without the time that a command waits for modules
// to be compiled. A module is compiled once and then kept, so that this says
// nothing of the command: if it counted, a limit that is right on every other
// day would end the first command of all.
package waits

import (
	"sync"
	"time"
)

// Waits is how long a command has waited, in all. It is safe for concurrent use.
type Waits struct {
	// Most is how much of it an AfterFunc leaves out: a command that has one module
	// compiled after the other has an end too. What was waited before does not take
	// from it: that was for others. Zero is nothing.
	Most time.Duration

	mu    sync.Mutex
	now   int // waits that go on
	since time.Time
	total time.Duration // of waits that are over; those at the same time count once
}

// Begin begins a wait, which ends when end is called.
func (w *Waits) Begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now++; w.now == 1 {
		w.since = time.Now()
	}
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.now--; w.now == 0 {
			w.total += time.Since(w.since)
		}
	})
}

// Total returns how long was waited so far.
func (w *Waits) Total() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	total := w.total
	if w.now > 0 {
		total += time.Since(w.since)
	}
	return total
}

// AfterFunc calls f on a goroutine of its own when d has passed, not counting what
// is waited from now on. stop prevents that, unless f has been called.
func (w *Waits) AfterFunc(d time.Duration, f func()) (stop func()) {
	began, before := time.Now(), w.Total()
	var (
		mu      sync.Mutex // guards what follows
		timer   *time.Timer
		stopped bool
	)
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(d, func() {
		mu.Lock()
		left := d + min(w.Total()-before, w.Most) - time.Since(began)
		again := left > 0 && !stopped
		if again {
			timer.Reset(left)
		}
		over := !again && !stopped
		mu.Unlock()
		if over {
			f()
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}
