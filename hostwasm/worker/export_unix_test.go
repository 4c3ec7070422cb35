//go:build linux || darwin

package worker

import (
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver"
)

// SetStuckLimit sets for a test how long is waited for a worker to end.
func SetStuckLimit(t *testing.T, d time.Duration) {
	before := stuckLimit
	stuckLimit = d
	t.Cleanup(func() { stuckLimit = before })
}

// SetLookAgain sets for a test when is looked again whether such a worker can't end.
func SetLookAgain(t *testing.T, d time.Duration) {
	before := lookAgain
	lookAgain = d
	t.Cleanup(func() { lookAgain = before })
}

// SetKillLimits sets for a test how long a command that is to end may take, alone in
// its worker and beside others.
func SetKillLimits(t *testing.T, alone, siblings time.Duration) {
	a, s := killLimit, siblingsLimit
	killLimit, siblingsLimit = alone, siblings
	t.Cleanup(func() { killLimit, siblingsLimit = a, s })
}

// SetLookLimit sets for a test how long a worker may take to say what a command does with its
// terminal.
func SetLookLimit(t *testing.T, d time.Duration) {
	before := lookLimit
	lookLimit = d
	t.Cleanup(func() { lookLimit = before })
}

// SetIdle sets for a test how long workers are kept that run nothing, and how many.
func SetIdle(t *testing.T, d time.Duration, n int) {
	limit, most := idleLimit, maxIdle
	idleLimit, maxIdle = d, n
	t.Cleanup(func() { idleLimit, maxIdle = limit, most })
}

// SetMaxAge sets for a test how long workers get new commands.
func SetMaxAge(t *testing.T, d time.Duration) {
	before := maxAge
	maxAge = d
	t.Cleanup(func() { maxAge = before })
}

// SpoilPool has the host, whose pool is of one, believe that a worker could not
// be started when the pool was filled.
func SpoilPool(t *testing.T, h *Host, err error) {
	good := <-h.pool.slots
	<-good.ready
	if good.err != nil {
		t.Fatal(good.err)
	}
	good.child.close()
	bad := &slot{ready: make(chan struct{}), err: err}
	close(bad.ready)
	h.pool.slots <- bad
}

// RetirePool has the worker in the host's pool, which is of one, take no commands: so it is for who
// has a service begin when another command, which joined it, has ended its worker.
func RetirePool(t *testing.T, h *Host) {
	s := <-h.pool.slots
	<-s.ready
	if s.err != nil {
		t.Fatal(s.err)
	}
	s.child.retire()
	h.pool.slots <- s
}

// Overdue is what is done when a process's time is over.
func Overdue(p driver.Process) { p.(*process).overdue() }

// SetBy has h believe for a test that modules are compiled by something else, and
// returns by what they are.
func SetBy(h *Host, by string) (before string) {
	before, h.by = h.by, by
	return before
}
