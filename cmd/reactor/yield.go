package main

import "runtime"

const (
	// yieldAfter is how much may be allocated, roughly and in bytes, before an
	// instance yields. That takes up to 3 µs.
	yieldAfter = 64 << 10
	// callCost is what a call may allocate besides what it takes and returns.
	callCost = 1 << 10
)

// yield lets Go's runtime run its own goroutines every now and then; nothing
// else does between two calls. The collector can do without, living on what
// every allocation does for it, until it has taken half of the time for a
// second: then its limiter excuses allocations from that (runtime/mgclimit.go)
// until the scheduler ends it, which never runs. From there on memory grows
// without end. A clock that is made up, like wazero's, gets there at once.
func (i *instance) yield(allocated int) {
	i.allocated += callCost + allocated
	if i.allocated >= yieldAfter {
		i.allocated = 0
		runtime.Gosched()
	}
}
