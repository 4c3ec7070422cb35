//go:build linux || darwin

package hostnative

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative/internal/tree"
)

// ofTree are the limits that are a tree's to keep; a limiter has the others.
func (l Limits) ofTree() tree.Limits {
	return tree.Limits{CPU: l.CPU, Memory: l.Memory, Disk: l.Disk, Processes: l.Processes, FileSize: l.FileSize, OpenFiles: l.OpenFiles}
}

// A limiter kills a command when it has had its time, or has written too much: until it is
// closed, so also what it has left running.
type limiter struct {
	limits  Limits
	command command
	pending func() int // bytes of output that are not read yet, at the most
	wall    *time.Timer
	idle    *time.Timer
	active  atomic.Int64 // when there last was input or output, in ns since begun
	begun   time.Time
	written atomic.Int64
	over    atomic.Pointer[core.Reason] // the limit that it is killed for

	explained sync.Once // sets these:
	exit      core.Exit
	itself    bool // the command has ended by itself; what it left may have been killed

	mu      sync.Mutex
	paid    time.Time // until when the output so far is as much as OutputRate lets be read
	granted bool      // credit was given
	credit  int       // bytes that may be read at once
}

// newLimiter returns a limiter, or nil where there is nothing to limit.
func newLimiter(l Limits, c command, pending func() int) *limiter {
	if l == (Limits{}) {
		return nil
	}
	m := &limiter{limits: l, command: c, pending: pending, begun: time.Now()}
	if l.Wall > 0 {
		m.wall = time.AfterFunc(l.Wall, func() { m.end(core.ReasonTimeout) })
	}
	if l.Idle > 0 {
		m.idle = time.AfterFunc(math.MaxInt64, m.checkIdle) // which uses m.idle
		m.idle.Reset(l.Idle)
	}
	return m
}

// end kills the command.
func (m *limiter) end(why core.Reason) {
	m.over.CompareAndSwap(nil, &why)
	m.command.Signal(unix.SIGKILL) // an error is Close's, too
}

func (m *limiter) checkIdle() {
	if m.pending() > 0 {
		m.stir() // it has written, and it is we who do not read
	}
	since := time.Since(m.begun) - time.Duration(m.active.Load())
	if since < m.limits.Idle {
		m.idle.Reset(m.limits.Idle - since)
		return
	}
	m.end(core.ReasonIdle)
}

// stop is for when the command is being closed.
func (m *limiter) stop() {
	if m == nil {
		return
	}
	for _, t := range []*time.Timer{m.wall, m.idle} {
		if t != nil {
			t.Stop()
		}
	}
}

// stir says that there is input or output.
func (m *limiter) stir() {
	if m != nil && m.limits.Idle > 0 {
		m.active.Store(int64(time.Since(m.begun)))
	}
}

// take returns how many of n bytes of output are still to be passed on.
func (m *limiter) take(n int) int {
	m.stir()
	if m == nil || m.limits.Output == 0 {
		return n
	}
	left := m.limits.Output - m.written.Add(int64(n)) + int64(n)
	if left >= int64(n) {
		return n
	}
	m.end(core.ReasonOutput)
	return int(max(left, 0))
}

// piece is how many of n bytes are read at once: OutputRate is to hold in each short time.
func (m *limiter) piece(n int) int {
	if m == nil || m.limits.OutputRate == 0 {
		return n
	}
	return int(min(max(m.limits.OutputRate/int64(time.Second/paceStep), 1), int64(n)))
}

// pace waits until more may be read after n bytes. What is there already when the command
// ends may be read at once: its exit waits for that.
func (m *limiter) pace(n int, closing <-chan struct{}) {
	if m == nil || m.limits.OutputRate == 0 || m.grant() {
		return
	}
	for wait := m.pay(n); wait > 0 && !m.grant(); wait -= paceStep {
		select {
		case <-closing:
			return
		case <-time.After(min(wait, paceStep)):
		}
	}
}

// pay returns how long to wait for what n bytes cost.
func (m *limiter) pay(n int) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	free := min(n, m.credit)
	m.credit -= free
	if now := time.Now(); m.paid.Before(now) {
		m.paid = now
	}
	m.paid = m.paid.Add(time.Duration(float64(n-free) / float64(m.limits.OutputRate) * float64(time.Second)))
	return time.Until(m.paid)
}

// grant gives credit, once, when the command has ended, and reports whether it has.
func (m *limiter) grant() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.granted || !m.command.Exited() {
		return false
	}
	m.granted, m.credit, m.paid = true, m.pending(), time.Time{}
	return true
}

// paceStep is how long pace does not notice that the command has ended.
const paceStep = 50 * time.Millisecond

// explain adds why the command was killed to how it has ended, the same each time. One that
// has ended before it was killed for its output counts as killed: what it wrote was cut.
func (m *limiter) explain(exit core.Exit) core.Exit {
	if m == nil {
		return exit
	}
	m.explained.Do(func() {
		m.exit, m.itself = exit, exit.Status.Signal != "SIGKILL"
		switch why := m.over.Load(); {
		case why == nil:
		case *why == core.ReasonOutput:
			m.exit.Status, m.exit.Reason = core.ExitStatus{Signal: "SIGKILL"}, *why
		case !m.itself:
			m.exit.Reason = *why
		}
	})
	return m.exit
}

// why says for a person why the command, which has ended, or what it has left was killed, or "".
func (m *limiter) why() string {
	why := m.over.Load()
	switch {
	case why != nil && m.itself && *why == core.ReasonOutput:
		return "output beyond " + bytesText(m.limits.Output) + " was dropped"
	case why != nil && m.itself:
		return m.limits.text(*why)
	case m.exit.Reason != core.ReasonNone:
		return m.limits.text(m.exit.Reason)
	case m.limits.ofTree().Watched():
		return m.limits.text(m.command.Beyond())
	}
	return ""
}

// text says for a person why the command was killed, or "".
func (l Limits) text(why core.Reason) string {
	switch why {
	case core.ReasonTimeout:
		return fmt.Sprintf("killed: it ran for longer than %v", l.Wall)
	case core.ReasonIdle:
		return fmt.Sprintf("killed: nothing was written or typed for %v", l.Idle)
	case core.ReasonCPU:
		return fmt.Sprintf("killed: it computed for longer than %v", l.CPU)
	case core.ReasonMemory:
		return "killed: it had more memory than " + bytesText(l.Memory)
	case core.ReasonDisk:
		return "killed: it wrote more to disks than " + bytesText(l.Disk)
	case core.ReasonOutput:
		return "killed: it wrote more output than " + bytesText(l.Output)
	}
	return ""
}

// bytesText returns a number of bytes in the largest unit that loses nothing.
func bytesText(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; n > 0 && n%1024 == 0 && i < len(units)-1; i++ {
		n /= 1024
	}
	return fmt.Sprint(n, " ", units[i])
}
