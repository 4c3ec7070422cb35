package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// How long a worker whose hosts can't be opened waits until it looks again: longer each time.
const (
	firstLook = time.Second
	lastLook  = time.Minute
)

// openHost opens the host of a session.
func (w *Worker) openHost(ctx context.Context, s *farSession) (OwnHost, error) {
	host, err := w.config.Open(ctx, s.lost)
	if err == nil || ctx.Err() != nil {
		return host, err
	}
	w.fail(err)
	return nil, fmt.Errorf("worker %s: %w", w.config.Name, err)
}

// fail has the worker take no more sessions until hosts can be opened again. A session calls it,
// so ending is not over.
func (w *Worker) fail(why error) {
	w.mu.Lock()
	first := w.mended == nil
	if first {
		w.mended = make(chan struct{})
		w.ending.Go(w.mend)
	}
	w.mu.Unlock()
	if first {
		w.config.Say("it takes no sessions until this works again: " + why.Error())
		w.tell()
	}
}

// mend looks whether hosts can be opened, until they can, or the worker takes no more anyway.
func (w *Worker) mend() {
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		select {
		case <-w.ctx.Done():
			return
		case <-time.After(pause):
		}
		err := w.config.Ready(w.ctx)
		switch {
		case errors.Is(err, context.Canceled) && w.ctx.Err() != nil:
			return
		case err != nil:
			continue
		}
		w.mu.Lock()
		close(w.mended)
		w.mended = nil
		w.mu.Unlock()
		w.config.Say("it works again, and takes sessions")
		w.tell()
		return
	}
}

// failing returns what is closed when hosts can be opened again, or nil if they can.
func (w *Worker) failing() chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mended
}

// awaitMended waits until hosts can be opened. It reports whether the worker still takes sessions.
func (w *Worker) awaitMended() bool {
	if mended := w.failing(); mended != nil {
		select {
		case <-mended:
		case <-w.ctx.Done():
		}
	}
	return w.ctx.Err() == nil
}
