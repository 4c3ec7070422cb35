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

// watchers are the wakers to ring when something changes. Each is there once,
// however often it was added: a guest may poll one pipe 65,536 times at once.
// Not safe for concurrent use: its owner's mutex guards it.
type watchers []watcher

type watcher struct {
	waker
	times int // added and not removed
}

func (ws watchers) index(w waker) int {
	return slices.IndexFunc(ws, func(x watcher) bool { return x.waker == w })
}

func (ws *watchers) add(w waker) {
	if i := ws.index(w); i >= 0 {
		(*ws)[i].times++
		return
	}
	*ws = append(*ws, watcher{w, 1})
}

func (ws *watchers) remove(w waker) {
	i := ws.index(w)
	if i < 0 {
		return
	}
	if (*ws)[i].times--; (*ws)[i].times == 0 {
		*ws = slices.Delete(*ws, i, i+1)
	}
}

func (ws watchers) wake() {
	for _, w := range ws {
		w.wake()
	}
}
