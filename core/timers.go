package core

import "time"

// A timer is when a terminal waits for the clock to do something.
type timer struct {
	at    time.Time // the earliest of the terminal's times, as the heap knows it
	index int       // in Registry.timers, or -1: it waits for nothing
}

// nextTime returns the earliest of what the clock will do with t, or zero.
func (t *Terminal) nextTime() time.Time {
	return earliest(t.timeLimit.at, t.killing.escalateAt, t.killing.lostAt, t.drain.at)
}

// expire does what is due for t.
func (r *Registry) expire(now time.Time, t *Terminal) {
	if due(&t.timeLimit.at, now) {
		r.expireLimit(now, t)
	}
	if due(&t.killing.escalateAt, now) {
		r.escalate(now, t)
	}
	if due(&t.killing.lostAt, now) {
		r.lose(now, t)
	}
	if due(&t.drain.at, now) {
		r.expireDrain(now, t)
	}
	r.timers.schedule(t)
}

// due reports whether a time is set and has come. It comes once.
func due(at *time.Time, now time.Time) bool {
	if at.IsZero() || at.After(now) {
		return false
	}
	*at = time.Time{}
	return true
}

// timers orders the terminals that wait for the clock by when that is: a
// binary heap, the soonest first. (container/heap holds its items in
// interfaces, which would link every method of time.Time into the reactor.)
type timers []*Terminal

// schedule puts t where the earliest of its times says, or takes it out. It is
// called whenever one of them may have changed.
func (h *timers) schedule(t *Terminal) {
	at := t.nextTime()
	waiting := t.timer.index >= 0
	t.timer.at = at
	switch {
	case at.IsZero() && waiting:
		h.remove(t)
	case !at.IsZero() && !waiting:
		*h = append(*h, nil)
		h.put(len(*h)-1, t)
		h.settle(t)
	case waiting:
		h.settle(t)
	}
}

// remove takes t out: the last one takes its place.
func (h *timers) remove(t *Terminal) {
	i, end := t.timer.index, len(*h)-1
	last := (*h)[end]
	(*h)[end] = nil
	*h = (*h)[:end]
	t.timer.index = -1
	if last != t {
		h.put(i, last)
		h.settle(last)
	}
}

// settle moves t, the only one out of order, to where it belongs.
func (h timers) settle(t *Terminal) {
	for i := t.timer.index; i > 0; {
		parent := (i - 1) / 2
		if !h.before(i, parent) {
			break
		}
		h.swap(i, parent)
		i = parent
	}
	for i := t.timer.index; ; {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h.before(child, first) {
				first = child
			}
		}
		if first == i {
			return
		}
		h.swap(i, first)
		i = first
	}
}

func (h timers) before(i, j int) bool { return h[i].timer.at.Before(h[j].timer.at) }

func (h timers) swap(i, j int) {
	a, b := h[i], h[j]
	h.put(i, b)
	h.put(j, a)
}

func (h timers) put(i int, t *Terminal) {
	h[i] = t
	t.timer.index = i
}

// earliest returns the first of times that is set, or zero.
func earliest(times ...time.Time) time.Time {
	var first time.Time
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}
