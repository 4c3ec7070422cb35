//go:build linux || darwin

package protect

// quiet reports whether nothing has happened since the last look, so that the next would find
// what that has found. Only a Snapshot that is used again watches: to begin to costs about as
// much as a look.
func (s *Snapshot) quiet() bool {
	if !s.watched {
		return false
	}
	some, err := s.watch.heard()
	if err != nil {
		s.unwatch()
	}
	if some || err != nil {
		return false
	}
	for _, r := range s.roots {
		if r.lost != nil || r.still() != nil || len(r.base.unseen) > 0 {
			return false
		}
	}
	return true
}

// forget is for the time before a look: what has happened by now is what that finds.
func (s *Snapshot) forget() {
	s.watched = false
	if s.watch == nil {
		return
	}
	if _, err := s.watch.heard(); err != nil {
		s.unwatch()
	}
}

// cover watches all that was looked at, and reports whether there is need for another look,
// since some of it was not watched before.
func (s *Snapshot) cover() (again bool) {
	if s.looks++; s.looks < 2 || s.unwatchable {
		return false
	}
	if s.watch == nil {
		if s.watch = newWatch(s.roots); s.watch == nil {
			s.unwatchable = true
			return false
		}
	}
	for _, r := range s.roots {
		added, err := s.watch.cover(r)
		if err != nil {
			s.unwatch()
			s.unwatchable = true // there are too many, or some that can't be
			return false
		}
		again = again || added
	}
	s.watched = !again
	return again
}

func (s *Snapshot) unwatch() {
	s.watch.close()
	s.watch, s.watched = nil, false
}
