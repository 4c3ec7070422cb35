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

// A limiter kills a command when it has had its time, or has written too much.
type limiter struct {
	limits  Limits
	command command
	wall    *time.Timer
	idle    *time.Timer
	active  atomic.Int64 // when there last was input or output, in ns since begun
	begun   time.Time
	written atomic.Int64
	reason  atomic.Pointer[core.Reason]

	mu   sync.Mutex
	paid time.Time // until when the output so far is as much as OutputRate lets be read
}

// newLimiter returns a limiter, or nil where there is nothing to limit.
func newLimiter(l Limits, c command) *limiter {
	if l == (Limits{}) {
		return nil
	}
	m := &limiter{limits: l, command: c, begun: time.Now()}
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
	if m.command.Exited() && why != core.ReasonOutput {
		return
	}
	m.reason.CompareAndSwap(nil, &why)
	m.command.Signal(unix.SIGKILL) // an error is Close's, too
}

func (m *limiter) checkIdle() {
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

// pace waits until more than n bytes may be read. What is left of a command that has
// ended may be read at once.
func (m *limiter) pace(n int, closing <-chan struct{}) {
	if m == nil || m.limits.OutputRate == 0 {
		return
	}
	m.mu.Lock()
	if now := time.Now(); m.paid.Before(now) {
		m.paid = now
	}
	m.paid = m.paid.Add(time.Duration(float64(n) / float64(m.limits.OutputRate) * float64(time.Second)))
	until := m.paid
	m.mu.Unlock()
	for wait := time.Until(until); wait > 0 && !m.command.Exited(); wait = time.Until(until) {
		select {
		case <-closing:
			return
		case <-time.After(min(wait, paceStep)):
		}
	}
}

// paceStep is how long pace does not notice that the command has ended.
const paceStep = 50 * time.Millisecond

// explain adds why the command was killed to how it has ended.
func (m *limiter) explain(exit *core.Exit) {
	if m == nil || exit.Status.Signal != "SIGKILL" {
		return
	}
	if why := m.reason.Load(); why != nil {
		exit.Reason = *why
	}
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
