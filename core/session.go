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
