package main

import (
	"context"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// A host is the sandbox's host for one driver. It tells the page what is about to
// happen to a terminal, of which no news are before it runs.
type host struct {
	*hostwasm.Host
	sandbox *sandbox
	peer    *peer // nil for the page's own
}

func (h host) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	if id, ok := driver.TerminalOf(ctx); ok {
		h.sandbox.adopt(id, h.peer, c)
	}
	return h.Host.Resolve(ctx, c)
}

func (h host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	if id, ok := driver.TerminalOf(ctx); ok {
		h.sandbox.starting(id, e)
	}
	return h.Host.Start(ctx, e)
}

// adopt notes a terminal that is new, and tells the page of it. A second time it
// does nothing.
func (s *sandbox) adopt(id core.TerminalID, p *peer, c core.Command) {
	d, number := s.own, int32(0)
	if p != nil {
		d, number = p.server.Driver(), p.number
	}
	status, known := d.Terminal(id).Status()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !known || s.terminals[id] != nil {
		return
	}
	t := &terminal{
		id: id, peer: number, driver: d, session: status.Session, state: queued,
		exec: core.Exec{Command: c}, rows: status.Rows, cols: status.Cols,
		watches: make(map[*watch]struct{}),
	}
	s.terminals[id] = t
	s.tellTerminal(t)
}

// resolved notes what a command means. s.mu is held.
func (t *terminal) resolved(e core.Exec) {
	session := t.exec.Command.Session
	t.exec = e
	t.exec.Command.Session = session
}

func (s *sandbox) starting(id core.TerminalID, e core.Exec) {
	s.change(id, func(t *terminal) { t.resolved(e) })
}

// change changes what is known of a terminal, and tells the page.
func (s *sandbox) change(id core.TerminalID, change func(t *terminal)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.terminals[id]; t != nil {
		change(t)
		s.tellTerminal(t)
	}
}

// news is what drivers tell.
func (s *sandbox) news(e *core.Effect) {
	switch e.Kind {
	case core.Started:
		s.change(e.ID, func(t *terminal) { t.state, t.started = running, time.Now() })
	case core.StartFailed:
		s.change(e.ID, func(t *terminal) {
			t.fail(e.Err, s.closing)
			t.closed = true
			s.forget(t)
		})
	case core.OutputChanged:
		s.output(e)
	case core.Exited:
		s.exited(e.ID, e.Exit)
	case core.Evicted:
		s.evicted(e.ID)
	}
}

// output hands new output to those who watch.
func (s *sandbox) output(e *core.Effect) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.terminals[e.ID]
	if t == nil {
		return
	}
	offset := t.told + e.Lost
	t.told = offset + uint64(len(e.Data))
	for w := range t.watches {
		w.add(s.page, offset, e.Data)
		w.tellEnd(s.page)
	}
	s.count(t)
}

// count has the counts of t told soon. s.mu is held.
func (s *sandbox) count(t *terminal) {
	if t.closed || s.closing {
		return
	}
	s.counted[t] = true
	if s.counting == nil {
		s.counting = time.AfterFunc(countsEvery, s.tellCounts)
	}
}

func (s *sandbox) tellCounts() {
	s.mu.Lock()
	counted := s.counted
	s.counted, s.counting = make(map[*terminal]bool), nil
	s.mu.Unlock()
	for t := range counted {
		s.recount(t)
		s.mu.Lock()
		s.tell("counts", func(e *encoder) {
			e.Text("id", string(t.id))
			e.counts(t)
		})
		s.mu.Unlock()
	}
}

// recount counts the output of t.
func (s *sandbox) recount(t *terminal) {
	var written uint64
	var kept int
	var truncated bool
	known := t.driver.Terminal(t.id).Look(func(o *core.Terminal) {
		written = o.Written()
		kept, truncated = o.Kept()
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if known && !t.closed {
		t.written, t.kept, t.truncated = written, kept, truncated
	}
}

func (s *sandbox) exited(id core.TerminalID, x core.Exit) {
	s.mu.Lock()
	t := s.terminals[id]
	s.mu.Unlock()
	if t == nil {
		return
	}
	s.recount(t)
	s.change(id, func(t *terminal) {
		t.end(x, s.closing)
		t.ended = time.Now()
		delete(s.counted, t)
	})
}

// closed keeps what a terminal shows at its end, for display after its release.
func (s *sandbox) closed(o *core.Terminal) {
	last, drawn := look(o, lastHistory)
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.terminals[o.ID()]
	if t == nil {
		return
	}
	t.closed, t.released = true, true
	t.written = o.Written()
	t.kept, t.truncated = o.Kept()
	if drawn {
		t.last = last
		s.show(t)
	}
	delete(s.counted, t)
	s.tellTerminal(t)
	for w := range t.watches {
		w.tellEnd(s.page)
	}
}

// show keeps the last snapshot of t, and drops the oldest that are too much: what
// they showed is told as plain text from then on. s.mu is held.
func (s *sandbox) show(t *terminal) {
	s.shown = append(s.shown, t)
	s.shownBytes += int64(len(t.last.data))
	for s.shownBytes > s.config.keptBytes {
		oldest := s.shown[0]
		s.shown = s.shown[1:]
		s.shownBytes -= int64(len(oldest.last.data))
		oldest.last.data = nil
	}
}

func (s *sandbox) evicted(id core.TerminalID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.terminals[id]
	if t == nil {
		return
	}
	t.closed = true
	s.forget(t)
	s.tell("evicted", func(e *encoder) { e.Text("id", string(id)) })
}

// forget drops a terminal, and ends its watches. s.mu is held.
func (s *sandbox) forget(t *terminal) {
	delete(s.terminals, t.id)
	delete(s.counted, t)
	for i, other := range s.shown {
		if other == t {
			s.shown = append(s.shown[:i], s.shown[i+1:]...)
			s.shownBytes -= int64(len(t.last.data))
			break
		}
	}
	for w := range t.watches {
		if !w.ended {
			w.ended = true
			s.page.ended(w.number)
		}
	}
}
