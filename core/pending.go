//go:build !reactor

package core

import "time"

// HandleOutputPending reports that up to n bytes were written that HandleOutput
// has not been given yet. A driver that can tell does so just before HandleExit
// and HandleTimeout. What was there at the exit is waited for, however long the
// driver takes to read it; and as long as there is something, the silence is
// the driver's and not the command's. Reactors have no export for it.
func (r *Registry) HandleOutputPending(now time.Time, id TerminalID, n int) {
	t := r.terminals[id]
	if t == nil || n == 0 && t.drain.owed == 0 {
		return
	}
	r.trace.pending(now, id, n)
	switch t.life.state {
	case StateRunning:
		t.drain.owed = n
	case StateDraining:
		r.pay(now, t, t.drain.owed-n)
		if n > 0 {
			r.drainMore(now, t)
		}
	}
}

// pay takes n bytes off what is owed. DrainLimit is for what comes after all that.
func (r *Registry) pay(now time.Time, t *Terminal, n int) {
	d := &t.drain
	if t.life.state != StateDraining || d.owed == 0 || n <= 0 {
		return
	}
	if d.owed = max(0, d.owed-n); d.owed == 0 {
		d.end = now.Add(r.config.DrainLimit)
		r.drainMore(now, t)
	}
}

// waive waits no longer for what is owed.
func (r *Registry) waive(now time.Time, t *Terminal) { r.pay(now, t, t.drain.owed) }
