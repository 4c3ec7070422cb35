package core

import "time"

// killing is how far a terminal's end was forced, and why. Its zero value is
// that of a command which nobody wants to end.
type killing struct {
	stage      killStage
	why        Reason    // of the first to end it
	escalateAt time.Time // SIGKILL is due: the grace is over
	lostAt     time.Time // give up waiting for the exit
}

// killStage is how far the ladder SIGTERM → grace → SIGKILL has gone.
type killStage uint8

const (
	killNone killStage = iota
	killTerm           // SIGTERM was sent
	killKill           // SIGKILL was sent
)

// blame notes why the command is to end. The first reason counts.
func (k *killing) blame(why Reason) {
	if k.why == ReasonNone {
		k.why = why
	}
}

// stop has the clock do nothing more.
func (k *killing) stop() { k.escalateAt, k.lostAt = time.Time{}, time.Time{} }

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
		r.waive(now, t)
	}
	return nil
}

// terminate begins the ladder, if it has not begun.
func (r *Registry) terminate(now time.Time, t *Terminal, why Reason) {
	t.killing.blame(why)
	if t.killing.stage != killNone {
		return
	}
	if r.config.KillGrace < 0 {
		r.escalate(now, t)
		return
	}
	t.killing.stage = killTerm
	r.signal(t, "SIGTERM")
	r.signal(t, "SIGCONT") // a stopped process does not see SIGTERM until it is continued
	t.killing.escalateAt = now.Add(r.config.KillGrace)
	r.timers.schedule(t)
}

// escalate sends SIGKILL. It does so also when the command itself has ended:
//
//  1. A shell has started a server. Kill sends SIGTERM to both.
//  2. The shell ends on it, and its HandleExit comes. The server ignores it.
//  3. The grace is over. Did the exit end the ladder, the server would live on
//     until the terminal is released.
func (r *Registry) escalate(now time.Time, t *Terminal) {
	t.killing.stage = killKill
	t.killing.escalateAt = time.Time{}
	r.signal(t, "SIGKILL")
	r.expectExit(now, t)
	r.timers.schedule(t)
}

func (r *Registry) signal(t *Terminal, name string) {
	r.push(t, Effect{Kind: Signal, Signal: name, Reason: t.killing.why})
}

// expectExit bounds how long a terminal that was released, or whose time is over,
// waits for an exit that SIGKILL should bring: a process may hang in the kernel,
// or a host may fail. Release and SIGKILL come in any order:
//
//  1. Kill, and SIGKILL after the grace. The process hangs, and so far nobody
//     minds: the client may wait for as long as it likes.
//  2. Release. If only escalate set lostAt, it would never be set now, and Close
//     would never come.
//
// So both of them call this.
func (r *Registry) expectExit(now time.Time, t *Terminal) {
	k := &t.killing
	if (t.life.released || t.timeLimit.over) && t.life.state == StateRunning && k.stage == killKill && k.lostAt.IsZero() {
		k.lostAt = now.Add(r.config.LostAfter)
		r.timers.schedule(t)
	}
}

// lose gives up waiting for the exit of a process.
func (r *Registry) lose(now time.Time, t *Terminal) {
	e := Exit{Status: ExitStatus{Unknown: true}, Reason: ReasonLost}
	if t.killing.why == ReasonTimeout {
		e.Reason = ReasonTimeout
	}
	t.life.end(now, e)
	r.publish(t)
}
