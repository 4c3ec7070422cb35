package core

import (
	"container/heap"
	"time"
)

// timers orders the terminals that wait for the clock by when that is, the
// soonest first. It implements heap.Interface.
type timers []*Terminal

func (h timers) Len() int           { return len(h) }
func (h timers) Less(i, j int) bool { return h[i].life.deadline.Before(h[j].life.deadline) }

func (h timers) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].life.timer, h[j].life.timer = i, j
}

func (h *timers) Push(x any) {
	t := x.(*Terminal)
	t.life.timer = len(*h)
	*h = append(*h, t)
}

func (h *timers) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.life.timer = -1
	return t
}

// schedule puts t where the earliest of its deadlines says, or takes it out.
// It is called whenever one of them may have changed.
func (h *timers) schedule(t *Terminal) {
	at := t.life.nextDeadline()
	switch waiting := t.life.timer >= 0; {
	case at.Equal(t.life.deadline) && waiting == !at.IsZero():
	case at.IsZero():
		heap.Remove(h, t.life.timer)
		t.life.deadline = time.Time{}
	case waiting:
		t.life.deadline = at
		heap.Fix(h, t.life.timer)
	default:
		t.life.deadline = at
		heap.Push(h, t)
	}
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
