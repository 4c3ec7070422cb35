package wasi

import (
	"math"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A Clock tells a process the time. Only the process that has it calls it.
type Clock interface {
	// Realtime is the time since 1970, Monotonic since whenever.
	Realtime() time.Duration
	Monotonic() time.Duration
	// Sleep is told that the process sleeps for d and waits for nothing else.
	// It returns true if that much time has passed now, and false at once to
	// have the process wait.
	Sleep(d time.Duration) bool
}

// realClock is the host's clock. Its monotonic time begins with the process,
// so that it tells nothing of the host.
type realClock struct{ start time.Time }

func (c realClock) Realtime() time.Duration  { return time.Duration(time.Now().UnixNano()) }
func (c realClock) Monotonic() time.Duration { return time.Since(c.start) + 1 }
func (c realClock) Sleep(time.Duration) bool { return false }

// virtualClock is the clock of a deterministic process. It begins at a fixed
// time, moves on by virtualStep each time it is read, so that a loop that waits
// for it ends, and by what the process sleeps, which takes no time. A process
// that waits for something else too, with a timeout, waits in real time.
type virtualClock struct{ passed time.Duration }

const (
	// VirtualStart is when a deterministic process begins, since 1970:
	// 2026-01-01T00:00:00Z.
	VirtualStart = 1_767_225_600 * time.Second
	virtualStep  = time.Microsecond
)

func (c *virtualClock) Monotonic() time.Duration {
	c.Sleep(virtualStep)
	return c.passed
}

func (c *virtualClock) Realtime() time.Duration {
	return addTime(VirtualStart, c.Monotonic())
}

func (c *virtualClock) Sleep(d time.Duration) bool {
	c.passed = addTime(c.passed, d)
	return true
}

// addTime adds what is not negative, and stops at the end of time, in 2262.
func addTime(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// toTime reads one of WASI's timestamps, which go farther than ours.
func toTime(ns uint64) time.Duration {
	return time.Duration(min(ns, math.MaxInt64))
}

// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#clockid
const (
	clockRealtime  = 0
	clockMonotonic = 1
	clockProcess   = 2 // CPU time of the process: since it began
	clockThread    = 3
)

// now reads a clock. CPU time is not known here; it is the time since the
// process began, which is what a process that never waits sees.
func (p *Process) now(id uint32) (time.Duration, error) {
	switch id {
	case clockRealtime:
		return p.clock.Realtime(), nil
	case clockMonotonic:
		return p.clock.Monotonic(), nil
	case clockProcess, clockThread:
		return p.clock.Monotonic() - p.started, nil
	}
	return 0, errno.INVAL
}

// clock_res_get(id, *resolution)
func clockResGet(p *Process, m memory, a []uint64) error {
	if uint32(a[0]) > clockThread {
		return errno.INVAL
	}
	resolution := uint64(1)
	if _, virtual := p.clock.(*virtualClock); virtual {
		resolution = uint64(virtualStep)
	}
	return m.put64(uint32(a[1]), resolution)
}

// clock_time_get(id, precision, *time)
func clockTimeGet(p *Process, m memory, a []uint64) error {
	if err := m.check(uint32(a[2]), 8); err != nil {
		return err
	}
	t, err := p.now(uint32(a[0]))
	if err != nil {
		return err
	}
	return m.put64(uint32(a[2]), uint64(t))
}
