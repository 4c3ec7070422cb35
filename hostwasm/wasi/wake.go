package wasi

import "slices"

// A waker is what a waiting goroutine sleeps on: a channel of capacity one.
// A waker that rang while nobody slept ends the next sleep at once, so whoever
// sleeps looks again at what it waits for, and never misses a change that came
// after it began to watch.
type waker chan struct{}

func newWaker() waker { return make(waker, 1) }

func (w waker) wake() {
	select {
	case w <- struct{}{}:
	default: // it has rung already
	}
}

// watchers are the wakers to ring when something changes. A waker may be
// there more than once. Not safe for concurrent use: its owner's mutex guards
// it.
type watchers []waker

func (ws *watchers) add(w waker) { *ws = append(*ws, w) }

// remove takes w out once.
func (ws *watchers) remove(w waker) {
	if i := slices.Index(*ws, w); i >= 0 {
		*ws = slices.Delete(*ws, i, i+1)
	}
}

func (ws watchers) wake() {
	for _, w := range ws {
		w.wake()
	}
}
