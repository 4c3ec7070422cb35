package hostwasm

import (
	"sync"
	"sync/atomic"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// An account is what some guests use together, against limits. What is booked
// on it is booked on its parent too, so that a child's budget only narrows.
// It is safe for concurrent use.
type account struct {
	parent *account

	fuel, memory, processes reading
}

// A reading is how much of something is used, of at most max and what more
// has lent; a negative max is no limit.
type reading struct {
	used atomic.Int64
	max  int64
	more func(n int64) int64 // see Config.More; nil where there is no more
	lent atomic.Int64

	borrowing sync.Mutex
}

// take books n, unless that makes it more than there may be.
func (r *reading) take(n int64) bool {
	for {
		used := r.used.Load()
		if r.max >= 0 && used > r.max+r.lent.Load()-n {
			if !r.borrow(n) {
				return false
			}
			continue
		}
		if r.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

// borrow makes room for n. One borrows at a time, and those who wait meanwhile look
// again: more lends in large pieces. If each of ten guests that need a little were
// lent one, the last would be refused, though the first one's was enough for all.
func (r *reading) borrow(n int64) bool {
	if r.more == nil {
		return false
	}
	r.borrowing.Lock()
	defer r.borrowing.Unlock()
	if r.used.Load() <= r.max+r.lent.Load()-n {
		return true
	}
	got := r.more(n)
	r.lent.Add(got)
	return got >= n
}

// newAccount returns an account with these limits; a negative one is none.
func newAccount(parent *account, fuel, memory, processes int64) *account {
	a := &account{parent: parent}
	a.fuel.max, a.memory.max, a.processes.max = fuel, memory, processes
	return a
}

// takeFuel books n units that were used; it fails when that leaves nothing.
func (a *account) takeFuel(n int64) error {
	var err error
	for ; a != nil; a = a.parent {
		if used := a.fuel.used.Add(n); a.fuel.max >= 0 && used >= a.fuel.max {
			err = &wasi.Limit{Reason: core.ReasonFuel}
		}
	}
	return err
}

// fuelLeft returns how much may still be used, at most n.
func (a *account) fuelLeft(n int64) int64 {
	for ; a != nil; a = a.parent {
		if a.fuel.max >= 0 {
			n = min(n, a.fuel.max-a.fuel.used.Load())
		}
	}
	return max(n, 0)
}

// takeMemory books n bytes, or nothing if they are too many.
func (a *account) takeMemory(n int64) bool {
	return a.take(n, func(a *account) *reading { return &a.memory })
}

// mostMemory returns how much a guest could have if it were alone, at most n.
func (a *account) mostMemory(n int64) int64 {
	for ; a != nil; a = a.parent {
		if a.memory.max >= 0 && a.memory.more == nil {
			n = min(n, a.memory.max)
		}
	}
	return n
}

func (a *account) giveMemory(n int64) {
	for ; a != nil; a = a.parent {
		a.memory.used.Add(-n)
	}
}

// takeProcess books a guest, or nothing if it is one too many.
func (a *account) takeProcess() bool {
	return a.take(1, func(a *account) *reading { return &a.processes })
}

func (a *account) giveProcess() {
	for ; a != nil; a = a.parent {
		a.processes.used.Add(-1)
	}
}

func (a *account) take(n int64, of func(*account) *reading) bool {
	for at := a; at != nil; at = at.parent {
		if of(at).take(n) {
			continue
		}
		for undo := a; undo != at; undo = undo.parent {
			of(undo).used.Add(-n)
		}
		return false
	}
	return true
}
