//go:build !reactor

package core

import "time"

// What reactors have no exports for.

// KillNow is Kill without the grace, or with no more of it: SIGKILL comes at
// once, also where Kill was called before.
func (r *Registry) KillNow(now time.Time, id TerminalID) (err error) {
	r.trace.input(now, "kill_now", id)
	defer func() { r.trace.failed(err) }()
	t, err := r.held(id)
	if err != nil {
		return err
	}
	switch t.life.state {
	case StateResolving, StateAsking, StateStarting:
		r.abandon(t, ErrKilled)
	case StateRunning:
		if t.life.why == ReasonNone {
			t.life.why = ReasonKilled
		}
		if t.life.kill != killKill {
			r.escalate(now, t)
			r.timers.schedule(t)
		}
	case StateDraining:
		r.pay(now, t, t.life.owed)
	}
	return nil
}

// HandleOutputPending reports that up to n bytes were written that HandleOutput
// has not been given yet. A driver that can tell does so just before HandleExit
// and HandleTimeout. What was there at the exit is waited for, however long the
// driver takes to read it; and as long as there is something, the silence is
// the driver's and not the command's.
func (r *Registry) HandleOutputPending(now time.Time, id TerminalID, n int) {
	t := r.terminals[id]
	if t == nil || n == 0 && t.life.owed == 0 {
		return
	}
	r.trace.pending(now, id, n)
	switch t.life.state {
	case StateRunning:
		t.life.owed = n
	case StateDraining:
		r.pay(now, t, t.life.owed-n)
		if n > 0 {
			r.drainMore(now, t)
		}
	}
}

// pay takes n bytes off what is owed. The drain's limit is for what comes
// after all that.
func (r *Registry) pay(now time.Time, t *Terminal, n int) {
	l := &t.life
	if l.state != StateDraining || l.owed == 0 || n <= 0 {
		return
	}
	if l.owed = max(0, l.owed-n); l.owed == 0 {
		l.drainEnd = now.Add(r.config.DrainLimit)
		r.drainMore(now, t)
	}
}
