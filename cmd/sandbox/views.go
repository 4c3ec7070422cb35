package main

import (
	"github.com/terrarium-dev/terrarium/core"
)

// find returns the terminal of that id. It may be forgotten by now.
func (s *sandbox) find(id core.TerminalID) (*terminal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.terminals[id]; t != nil {
		return t, nil
	}
	return nil, core.ErrUnknownTerminal
}

// watch begins a watch, and appends the snapshot that it starts from.
func (s *sandbox) watch(dst []byte, id core.TerminalID, history int) (out []byte, number int32, err error) {
	s.mu.Lock()
	t := s.terminals[id]
	switch {
	case t == nil:
		err = core.ErrUnknownTerminal
	case len(s.watches) >= maxWatches:
		err = errTooManyWatches
	}
	if err != nil {
		s.mu.Unlock()
		return dst, 0, err
	}
	s.lastWatch = max(s.lastWatch+1, 1)
	// From now on it gets what comes; what is in the snapshot too is left out.
	w := &watch{number: s.lastWatch, terminal: t, from: t.told}
	s.watches[w.number] = w
	t.watches[w] = struct{}{}
	s.mu.Unlock()
	return s.start(dst, w, history), w.number, nil
}

// snapshot has a watch begin anew, and appends the snapshot.
func (s *sandbox) snapshot(dst []byte, number int32, history int) ([]byte, error) {
	s.mu.Lock()
	w := s.watches[number]
	s.mu.Unlock()
	if w == nil {
		return dst, errUnknownWatch
	}
	return s.start(dst, w, history), nil
}

func (s *sandbox) start(dst []byte, w *watch, history int) []byte {
	t := w.terminal
	shot := s.shoot(t, history)
	s.mu.Lock()
	defer s.mu.Unlock()
	w.begin(s.page, shot.offset)
	w.tellEnd(s.page)
	return shot.append(dst, t.closed)
}

// shoot returns what t shows: now, or what it did at its end.
func (s *sandbox) shoot(t *terminal, history int) (shot snapshot) {
	drawn := false
	t.driver.Terminal(t.id).Look(func(o *core.Terminal) { shot, drawn = look(o, history) })
	if drawn {
		return shot
	}
	text, _ := t.driver.Terminal(t.id).AppendOutput(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.last.data != nil {
		return t.last
	}
	return plain(text, t.rows, t.cols, t.written)
}

// take appends what a watch was not taken of.
func (s *sandbox) take(dst []byte, number int32, n int) (out []byte, status int32, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.watches[number]
	if w == nil {
		return dst, 0, errUnknownWatch
	}
	out, status = w.take(dst, n)
	return out, status, nil
}

func (s *sandbox) unwatch(number int32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.watches[number]
	if w == nil {
		return errUnknownWatch
	}
	delete(s.watches, number)
	delete(w.terminal.watches, w)
	return nil
}

// create makes a terminal of the page's.
func (s *sandbox) create(c core.Command) (core.TerminalID, error) {
	term, err := s.own.Begin("", c)
	if err != nil {
		return "", err
	}
	s.adopt(term.ID(), nil, c)
	return term.ID(), nil
}

// kill ends a command as a person does, who may insist.
func (s *sandbox) kill(t *terminal) error {
	s.mu.Lock()
	again := t.killed
	t.person, t.killed = true, true
	s.mu.Unlock()
	if again {
		return t.driver.Terminal(t.id).KillNow()
	}
	return t.driver.Terminal(t.id).Kill()
}

// release lets go of a terminal as a person does.
func (s *sandbox) release(t *terminal) error {
	s.mu.Lock()
	if t.state != exited && t.state != killed {
		t.person = true
	}
	s.mu.Unlock()
	if err := t.driver.Terminal(t.id).Release(); err != nil {
		return err
	}
	s.change(t.id, func(t *terminal) { t.released = true })
	return nil
}

// resize gives a terminal another size.
func (s *sandbox) resize(t *terminal, rows, cols int) error {
	if err := t.driver.Terminal(t.id).Resize(rows, cols); err != nil {
		return err
	}
	s.change(t.id, func(t *terminal) { t.rows, t.cols = rows, cols })
	return nil
}
