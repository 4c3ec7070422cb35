package driver

import (
	"context"
	"errors"
	"time"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// Errors of WaitForScreen.
var (
	// ErrNoScreen says that a terminal has no screen: it has one if its core.Command asks for it,
	// until it is released.
	ErrNoScreen = errors.New("driver: the terminal has no screen")
	// ErrNotShown says that the command has ended, or its terminal was released, and that what was
	// waited for has not come.
	ErrNotShown = errors.New("driver: the command has ended and has not shown it")
)

// FrameLimit is how long a program may take to complete what it has begun to draw, before it is
// shown as it is. xterm.js has the same. See vt.Screen.Synchronized.
const FrameLimit = time.Second

// WaitForScreen waits until shows returns true. It calls it with the terminal's screen now, and
// again whenever that may have changed, but not for each change of many: shows sees the newest. The
// screen must not be used after shows has returned, and the command's output waits for it.
//
// Errors are core.ErrUnknownTerminal, that of a command that did not start, ErrNoScreen,
// ErrNotShown, and ctx's.
func (t *Terminal) WaitForScreen(ctx context.Context, shows func(s *vt.Screen) bool) error {
	known, err := t.started(ctx)
	if err != nil {
		return err
	}
	var began frame
	for first, over := true, false; ; first = false {
		shown, now, changed := known.shows(shows)
		switch {
		case shown:
			return nil
		case changed == nil && first:
			return ErrNoScreen
		case changed == nil || over:
			return ErrNotShown
		}
		if ctx.Err() != nil { // not by chance only, where the screen changes all the time
			return ctx.Err()
		}
		late, stop := began.late(now)
		select {
		case <-changed:
		case <-known.exit:
			over = true
			known.endFrame(now)
		case <-late:
			known.endFrame(now)
		case <-ctx.Done():
		}
		stop()
	}
}

// A frame is one that a program has begun to draw, and when that was seen.
type frame struct {
	number uint64 // 0 is none
	since  time.Time
}

// late returns a channel that fires when frame number now has taken too long.
func (f *frame) late(now uint64) (late <-chan time.Time, stop func() bool) {
	if now == 0 {
		return nil, func() bool { return true }
	}
	if now != f.number {
		*f = frame{now, time.Now()}
	}
	timer := time.NewTimer(time.Until(f.since.Add(FrameLimit)))
	return timer.C, timer.Stop
}

// WaitForOutput waits until a terminal has written more than so many bytes, as
// core.Terminal.Written counts them, or its command has ended. Errors are
// core.ErrUnknownTerminal, that of a command that did not start, and ctx's.
func (t *Terminal) WaitForOutput(ctx context.Context, than uint64) error {
	known, err := t.started(ctx)
	if err != nil {
		return err
	}
	for {
		known.mu.Lock()
		more := known.output.Written() > than
		changed := known.watch()
		known.mu.Unlock()
		if more {
			return nil
		}
		select {
		case <-changed:
		case <-known.exit:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// WaitForQuiet waits until a terminal has shown nothing new for so long, or its command has ended.
// Errors are core.ErrUnknownTerminal, that of a command that did not start, and ctx's.
func (t *Terminal) WaitForQuiet(ctx context.Context, quiet time.Duration) error {
	known, err := t.started(ctx)
	if err != nil {
		return err
	}
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	for {
		known.mu.Lock()
		changed := known.watch()
		known.mu.Unlock()
		select {
		case <-changed:
			timer.Reset(quiet)
		case <-timer.C:
			return nil
		case <-known.exit:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// shows asks a function about the screen. frame is which frame is not complete, 0 if all are.
// changed is closed when the answer may be another, and nil if there is no screen.
func (t *terminal) shows(f func(s *vt.Screen) bool) (shown bool, frame uint64, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.output.Screen()
	if s == nil {
		return false, 0, nil
	}
	return f(s), s.Frame(), t.watch()
}

// endFrame shows what a program has begun to draw and does not complete.
func (t *terminal) endFrame(frame uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.output.Screen(); s != nil && frame != 0 && s.Frame() == frame {
		s.EndSynchronized()
	}
}

// watch returns a channel that is closed when the terminal may show something else. t.mu is held.
func (t *terminal) watch() <-chan struct{} {
	if t.watched == nil {
		t.watched = make(chan struct{})
	}
	return t.watched
}

// wake tells those who watch. t.mu is held.
func (t *terminal) wake() {
	if t.watched != nil {
		close(t.watched)
		t.watched = nil
	}
}
