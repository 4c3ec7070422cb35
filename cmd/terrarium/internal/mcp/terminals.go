package mcp

import (
	"errors"
	"fmt"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// A terminal is what we know of one besides the driver.
type terminal struct {
	id      core.TerminalID
	caller  *caller
	began   time.Time
	started chan struct{} // closed when the command runs, or startErr is set
	ended   chan struct{} // closed when exit and took are set

	startErr error
	exit     core.Exit
	took     time.Duration // from began to the end

	// Server.mu guards the rest.
	uses     int // calls that name it at the moment
	used     time.Time
	idle     *time.Timer // runs when there are none
	released bool
	parkedAs string // its key in Server.parked; or empty
	last     *view  // what its screen has shown last, once that is gone
}

// has reports whether a channel of t is closed.
func has(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// begin has the command started, and counts the caller as one who uses the terminal.
func (s *Server) begin(c core.Command, by *caller) (*terminal, error) {
	if err := s.makeRoom(); err != nil {
		return nil, err
	}
	s.starting.Lock()
	defer s.starting.Unlock()
	term, err := s.driver.Begin(session, c)
	if err != nil {
		return nil, err
	}
	t := &terminal{
		id: term.ID(), caller: by, began: time.Now(), uses: 1, started: make(chan struct{}), ended: make(chan struct{}),
	}
	t.idle = time.AfterFunc(s.config.IdleRelease, func() { s.expire(t) })
	t.idle.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.terminals[term.ID()] = t
	return t, nil
}

// makeRoom releases the terminal of an ended command if there are too many terminals: that which
// was not used for the longest time.
func (s *Server) makeRoom() error {
	s.mu.Lock()
	n := 0
	var oldest *terminal
	for _, t := range s.terminals {
		if t.released {
			continue
		}
		n++
		if t.uses == 0 && has(t.ended) && (oldest == nil || t.used.Before(oldest.used)) {
			oldest = t
		}
	}
	s.mu.Unlock()
	switch {
	case n < maxTerminals:
		return nil
	case oldest == nil:
		return fmt.Errorf("%d commands run, which is all that may: wait for one with terminal_wait, or end one with terminal_release", n)
	}
	s.release(oldest)
	return nil
}

// unknownError is about a terminal that is not, or not any more. It is all that a client learns,
// whatever the id is.
type unknownError struct {
	id   string
	idle time.Duration
}

func (e *unknownError) Error() string {
	return fmt.Sprintf("no terminal %q: it was released, or no call has named it for %s, or there was none: terminal_create makes another", clip(e.id), words(e.idle))
}

// use finds the terminal that a call names. It is not released for being idle until done is called.
func (s *Server) use(id string) (t *terminal, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t = s.terminals[core.TerminalID(id)]
	if t == nil || t.released {
		return nil, nil, &unknownError{id, s.config.IdleRelease}
	}
	t.uses++
	t.idle.Stop()
	return t, func() { s.unuse(t) }, nil
}

func (s *Server) unuse(t *terminal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.uses--
	t.used = time.Now()
	if t.uses == 0 && !t.released {
		t.idle.Reset(s.config.IdleRelease)
	}
}

// expire releases t, which no call has named for too long.
func (s *Server) expire(t *terminal) {
	s.mu.Lock()
	// A call may have come between the timer and here.
	late := t.uses == 0 && time.Since(t.used) >= s.config.IdleRelease
	s.mu.Unlock()
	if late {
		s.release(t)
	}
}

// release ends the command and makes the id unknown. A second time it does nothing.
func (s *Server) release(t *terminal) {
	s.mu.Lock()
	again := t.released
	t.released = true
	t.idle.Stop()
	delete(s.parked, t.parkedAs)
	s.forget(t)
	s.mu.Unlock()
	t.caller.leave()
	if !again {
		s.driver.Terminal(t.id).Release() // the error would say that there is nothing to release
	}
}

// forget drops t once it is released and no news are to come. s.mu is held.
func (s *Server) forget(t *terminal) {
	if t.released && (has(t.ended) || has(t.started) && t.startErr != nil) {
		delete(s.terminals, t.id)
	}
}

// handleNews hears of everything that becomes of terminals. They are in the table then: no host and
// nobody who decides is called before that (see callerOf).
func (s *Server) handleNews(e *core.Effect) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.terminals[e.ID]
	if t == nil {
		return
	}
	switch e.Kind {
	case core.Started:
		close(t.started)
	case core.StartFailed:
		t.startErr = e.Err
		if t.startErr == nil {
			t.startErr = errors.New("not started")
		}
		t.released = true
		t.idle.Stop()
		delete(s.parked, t.parkedAs)
		close(t.started)
	case core.Exited:
		t.exit, t.took = e.Exit, time.Since(t.began)
		close(t.ended)
	}
	s.forget(t)
}

// handleClosing keeps what a screen shows that goes. The driver's lock of the terminal is held.
func (s *Server) handleClosing(c *core.Terminal) {
	screen := c.Screen()
	if screen == nil {
		return
	}
	last := viewOf(screen)
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.terminals[c.ID()]; t != nil {
		t.last = &last
	}
}
