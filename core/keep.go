package core

// keep holds on to the output of t for display, and evicts the oldest that is
// too much for its session or for all sessions together.
func (r *Registry) keep(t *Terminal) {
	t.exec = t.exec.shown()
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
		if oldest == nil || s.kept[0].number < oldest.kept[0].number {
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
	return int64(t.output.ring.Cap()) + t.exec.size()
}
