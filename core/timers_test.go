package core

import (
	"math/rand"
	"testing"
	"time"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// TestTimers schedules, moves and cancels many deadlines and compares the
// first one with a search through all of them.
func TestTimers(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var h timers
	all := make([]*Terminal, 50)
	for i := range all {
		all[i] = &Terminal{timer: timer{index: -1}}
	}
	for step := range 10_000 {
		one := all[rng.Intn(len(all))]
		at := epoch.Add(time.Duration(rng.Intn(100)) * time.Second)
		switch rng.Intn(4) {
		case 0:
			one.timeLimit.at = at
		case 1:
			one.killing.escalateAt = at
		case 2:
			one.drain.at = at
		case 3:
			one.timeLimit.stop()
			one.killing.stop()
			one.drain.stop()
		}
		h.schedule(one)

		var want time.Time
		waiting := 0
		for _, other := range all {
			want = earliest(want, other.nextTime())
			if !other.nextTime().IsZero() {
				waiting++
			}
		}
		if len(h) != waiting {
			t.Fatalf("step %d: got %d waiting, want %d", step, len(h), waiting)
		}
		if waiting > 0 && !h[0].timer.at.Equal(want) {
			t.Fatalf("step %d: got %v first, want %v", step, h[0].timer.at, want)
		}
	}
}
