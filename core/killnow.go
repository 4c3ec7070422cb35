//go:build !reactor

package core

import "time"

// KillNow is Kill without the grace, or with no more of it: SIGKILL comes at
// once, also where Kill was called before. Reactors have no export for it.
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
		t.killing.blame(ReasonKilled)
		if t.killing.stage != killKill {
			r.escalate(now, t)
		}
	case StateDraining:
		r.waive(now, t)
	}
	return nil
}
