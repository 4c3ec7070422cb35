package core

import "time"

// killStage is how far the ladder SIGTERM → grace → SIGKILL has gone.
type killStage uint8

const (
	killNone killStage = iota
	killTerm           // SIGTERM was sent
	killKill           // SIGKILL was sent
)

// Kill ends the command and everything it started: SIGTERM now, SIGKILL after
// Config.KillGrace. The terminal stays, with its output and exit status.
// Killing a command that has ended, or a second time, does nothing, but that
// output which nobody reads is no longer waited for.
func (r *Registry) Kill(now time.Time, id TerminalID) (err error) {
	r.trace.input(now, "kill", id)
	defer func() { r.trace.failed(err) }()
	t, err := r.held(id)
	if err != nil {
		return err
	}
	switch t.life.state {
	case StateResolving, StateAsking, StateStarting:
		r.abandon(t, ErrKilled)
	case StateRunning:
		r.terminate(now, t, ReasonKilled)
	case StateDraining:
		r.pay(now, t, t.life.owed)
	}
	return nil
}

// terminate begins the ladder, if it has not begun.
func (r *Registry) terminate(now time.Time, t *Terminal, why Reason) {
	if t.life.why == ReasonNone {
		t.life.why = why
	}
	if t.life.kill != killNone {
		return
	}
	if r.config.KillGrace < 0 {
		r.escalate(now, t)
		r.timers.schedule(t)
		return
	}
	t.life.kill = killTerm
	r.push(t, Effect{Kind: Signal, Signal: "SIGTERM", Reason: t.life.why})
	// A stopped process does not see SIGTERM until it is continued.
	r.push(t, Effect{Kind: Signal, Signal: "SIGCONT", Reason: t.life.why})
	t.life.escalateAt = now.Add(r.config.KillGrace)
	r.timers.schedule(t)
}

// escalate sends SIGKILL, also when the command itself went on SIGTERM: what
// it started shared the grace, and may not have.
func (r *Registry) escalate(now time.Time, t *Terminal) {
	t.life.kill = killKill
	t.life.escalateAt = time.Time{}
	r.push(t, Effect{Kind: Signal, Signal: "SIGKILL", Reason: t.life.why})
	r.expectExit(now, t)
}

// expectExit bounds how long a terminal that was released, or whose time is over,
// waits for an exit that SIGKILL should bring: a process may hang in the kernel,
// or a host may fail.
func (r *Registry) expectExit(now time.Time, t *Terminal) {
	l := &t.life
	if (l.released || l.overtime) && l.state == StateRunning && l.kill == killKill && l.lostAt.IsZero() {
		l.lostAt = now.Add(r.config.LostAfter)
	}
}
