package core

import "time"

// session is the terminals that one SessionID owns.
type session struct {
	id        SessionID
	live      int         // terminals not freed
	terminals []*Terminal // in the order of their creation
	kept      []*Terminal // freed, their output kept for display, the oldest first
	keptBytes int64
	closed    bool
}

func (r *Registry) session(id SessionID) *session {
	s := r.sessions[id]
	if s == nil {
		s = &session{id: id}
		r.sessions[id] = s
		r.order = append(r.order, s)
	}
	s.live++
	return s
}

// held returns the terminal that id names unless it was released.
func (r *Registry) held(id TerminalID) (*Terminal, error) {
	t := r.terminals[id]
	switch {
	case t == nil:
		return nil, ErrUnknownTerminal
	case t.life.released:
		return nil, ErrReleased
	}
	return t, nil
}

// Release kills what still runs and frees the terminal. Its id is invalid for
// every other command from now on; its output stays, for display, until the
// session is closed or Config.KeepTerminals or KeepBytes evicts it. An Exited
// that is still owed comes. Releasing a second time does nothing.
func (r *Registry) Release(now time.Time, id TerminalID) (err error) {
	r.trace.input(now, "release", id)
	defer func() { r.trace.failed(err) }()
	t := r.terminals[id]
	if t == nil {
		return ErrUnknownTerminal
	}
	r.release(now, t)
	return nil
}

func (r *Registry) release(now time.Time, t *Terminal) {
	if t.life.released {
		return
	}
	if t.life.state <= StateStarting {
		r.abandon(t, ErrReleased)
		return
	}
	t.life.released = true
	switch t.life.state {
	case StateRunning:
		r.terminate(now, t, ReasonReleased)
		r.expectExit(now, t)
		r.timers.schedule(t)
	case StateDraining:
		r.pay(now, t, t.life.owed)
	case StateExited:
		r.close(t)
	}
}

// CloseSession releases every terminal of a session and forgets their output.
// Commands that are still dying are waited for; their Exited still come.
func (r *Registry) CloseSession(now time.Time, id SessionID) error {
	r.trace.closeSession(now, id)
	s := r.sessions[id]
	if s == nil {
		return nil
	}
	r.forgetSession(s)
	s.closed = true
	for len(s.kept) > 0 {
		r.dropOldest(s)
	}
	for _, t := range append([]*Terminal(nil), s.terminals...) {
		r.release(now, t)
	}
	return nil
}

// CloseAll closes every session: the owner is going away.
func (r *Registry) CloseAll(now time.Time) {
	for len(r.order) > 0 {
		r.CloseSession(now, r.order[0].id)
	}
}

// close tells the host to free a terminal that was released and has ended.
func (r *Registry) close(t *Terminal) {
	l := &t.life
	l.closed = true
	l.timeoutAt, l.escalateAt, l.drainAt, l.lostAt = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	r.timers.schedule(t)
	r.push(t, Effect{Kind: Close})
}

// HandleClosed answers a Close effect: nothing of the terminal is left on the
// host, and no more output comes. Its output is kept for display.
func (r *Registry) HandleClosed(now time.Time, id TerminalID) {
	r.trace.input(now, "closed", id)
	t := r.terminals[id]
	if t == nil || !t.life.closed || t.life.freed {
		return
	}
	t.life.freed = true
	r.uncount(t)
	t.HandleClosed()
	if t.life.failed || t.session.closed {
		r.forget(t)
		return
	}
	r.keep(t)
}

// keep holds on to the output of t for display, and evicts the oldest that is
// too much for its session or for all sessions together.
func (r *Registry) keep(t *Terminal) {
	t.life.exec = t.life.exec.shown()
	if !r.roomToKeep(t) {
		r.push(t, Effect{Kind: Evicted})
		r.forget(t)
		return
	}
	s := t.session
	s.kept = append(s.kept, t)
	s.keptBytes += t.keptBytes()
	r.kept++
	r.keptBytes += t.keptBytes()
	for len(s.kept) > r.config.KeepTerminals || s.keptBytes > r.config.KeepBytes {
		r.evict(s)
	}
	for r.kept > r.config.MaxKeptTerminals || r.keptBytes > r.config.MaxKeptBytes {
		r.evict(r.oldestKept())
	}
}

// oldestKept returns the session whose first kept terminal is the oldest.
func (r *Registry) oldestKept() *session {
	var oldest *session
	for _, s := range r.order {
		if len(s.kept) == 0 {
			continue
		}
		if oldest == nil || s.kept[0].life.number < oldest.kept[0].life.number {
			oldest = s
		}
	}
	return oldest
}

// evict drops the oldest output that s keeps, with an event.
func (r *Registry) evict(s *session) {
	r.push(s.kept[0], Effect{Kind: Evicted})
	r.dropOldest(s)
}

func (r *Registry) dropOldest(s *session) {
	t := s.kept[0]
	s.kept[0] = nil
	s.kept = s.kept[1:]
	s.keptBytes -= t.keptBytes()
	r.kept--
	r.keptBytes -= t.keptBytes()
	r.config.KeptBudget.Give(1, t.keptBytes())
	r.forget(t)
}

// keptBytes is the memory that t holds when nothing but its output is kept, in
// bytes.
func (t *Terminal) keptBytes() int64 {
	return int64(t.output.ring.Cap()) + t.life.exec.size()
}

// uncount gives back what admit counted.
func (r *Registry) uncount(t *Terminal) {
	l := &t.life
	r.letGo(1, l.held+l.exec.Command.outputBytes(l.rows, l.cols))
	t.session.live--
}

// forget makes the id of t invalid for everything.
func (r *Registry) forget(t *Terminal) {
	t.life.closed = true
	delete(r.terminals, t.id)
	s := t.session
	s.remove(t)
	if len(s.terminals) == 0 && !s.closed {
		r.forgetSession(s)
	}
}

// remove and forgetSession do by hand what package slices could: its generic
// functions over a pointer link the methods of all that it leads to into the
// reactor, those of time.Time among them.
func (s *session) remove(t *Terminal) {
	for i, other := range s.terminals {
		if other == t {
			s.terminals = append(s.terminals[:i], s.terminals[i+1:]...)
			return
		}
	}
}

func (r *Registry) forgetSession(s *session) {
	delete(r.sessions, s.id)
	for i, other := range r.order {
		if other == s {
			r.order = append(r.order[:i], r.order[i+1:]...)
			return
		}
	}
}
