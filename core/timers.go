package core

import "time"

// timers orders the terminals that wait for the clock by when that is: a
// binary heap, the soonest first. (container/heap holds its items in
// interfaces, which would link every method of time.Time into the reactor.)
type timers []*Terminal

// schedule puts t where the earliest of its deadlines says, or takes it out.
// It is called whenever one of them may have changed.
func (h *timers) schedule(t *Terminal) {
	at := t.life.nextDeadline()
	waiting := t.life.timer >= 0
	t.life.deadline = at
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
	i, end := t.life.timer, len(*h)-1
	last := (*h)[end]
	(*h)[end] = nil
	*h = (*h)[:end]
	t.life.timer = -1
	if last != t {
		h.put(i, last)
		h.settle(last)
	}
}

// settle moves t, the only one out of order, to where it belongs.
func (h timers) settle(t *Terminal) {
	for i := t.life.timer; i > 0; {
		parent := (i - 1) / 2
		if !h.before(i, parent) {
			break
		}
		h.swap(i, parent)
		i = parent
	}
	for i := t.life.timer; ; {
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

func (h timers) before(i, j int) bool { return h[i].life.deadline.Before(h[j].life.deadline) }

func (h timers) swap(i, j int) {
	a, b := h[i], h[j]
	h.put(i, b)
	h.put(j, a)
}

func (h timers) put(i int, t *Terminal) {
	h[i] = t
	t.life.timer = i
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
