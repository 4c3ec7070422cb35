package core

import "time"

// A State is where a terminal is in its life.
type State uint8

const (
	// StateResolving: the host is asked what the command means.
	StateResolving State = iota
	// StateAsking: policy or a person is asked.
	StateAsking
	// StateStarting: the host is starting it.
	StateStarting
	// StateRunning: it runs.
	StateRunning
	// StateDraining: it has ended, and what it wrote is still being read.
	StateDraining
	// StateExited: it has ended, and Exited was told.
	StateExited
)

var stateNames = [...]string{"resolving", "asking", "starting", "running", "draining", "exited"}

// String returns "resolving", "running" and so on.
func (s State) String() string { return stateNames[s] }

// life is the registry's half of a Terminal.
type life struct {
	number uint64 // the first terminal is 1
	state  State
	exec   *Exec // not changed once effects have it: another takes its place
	held   int64 // bytes of it that are reserved
	rows   int   // as last resized, in cells
	cols   int

	released bool // only its output is left to see
	failed   bool // StartFailed was told while the host was still starting it
	closed   bool // the host was told Close, or there is nothing to close
	freed    bool // the host has answered it

	started, ended time.Time
	exit           Exit
	outputEnded    bool
	owed           int  // bytes written by the exit, at the most, that are still to be handled
	dirty          bool // in Registry.dirty

	kill         killStage
	why          Reason // of the first one to end it
	overtime     bool   // it ran for longer than its Timeout
	inputClosed  bool
	inputPending int // bytes, not yet taken by the process

	// What the clock will do; zero is nothing.
	timeoutAt  time.Time // kill, or give up starting: it took too long
	escalateAt time.Time // SIGKILL: the grace is over
	drainAt    time.Time // tell the exit: the output has fallen silent
	drainEnd   time.Time // the latest that drainAt may be, once nothing is owed
	lostAt     time.Time // give up waiting for the exit

	timeLeft time.Duration // until timeoutAt, while somebody decides

	deadline time.Time // the earliest of them, as the heap knows it
	timer    int       // index in Registry.timers, or -1
}

func (l *life) nextDeadline() time.Time {
	return earliest(l.timeoutAt, l.escalateAt, l.drainAt, l.lostAt)
}

// A Status is what is known of a terminal besides its output.
type Status struct {
	Session  SessionID
	State    State
	Released bool
	// Exec is what the host made of the command, once the state is past
	// StateResolving.
	Exec Exec
	// Rows and Cols are the terminal's size now, in cells.
	Rows, Cols int
	// Exit is set in StateExited.
	Exit Exit
	// Started and Ended are zero as long as that has not happened.
	Started, Ended time.Time
}

// Status returns what is known of a terminal, also of a released one.
func (r *Registry) Status(id TerminalID) (Status, bool) {
	t := r.terminals[id]
	if t == nil {
		return Status{}, false
	}
	l := &t.life
	s := Status{
		Session: t.session.id, State: l.state, Released: l.released, Exec: *l.exec,
		Rows: l.rows, Cols: l.cols, Started: l.started, Ended: l.ended,
	}
	if l.state == StateExited {
		s.Exit = l.exit
	}
	return s, true
}

// HandleResolved answers a Resolve effect: e says what would be executed, or
// err why nothing can be.
func (r *Registry) HandleResolved(now time.Time, id TerminalID, e Exec, err error) {
	r.trace.resolved(now, id, &e, err)
	t := r.terminals[id]
	if t == nil || t.life.state != StateResolving {
		return
	}
	if err != nil {
		r.fail(t, err)
		return
	}
	exec := t.life.exec // of which Resolve has only the Command
	exec.Path, exec.Argv, exec.Via, exec.Sandbox, exec.Terms, exec.Host = e.Path, e.Argv, e.Via, e.Sandbox, e.Terms, e.Host
	if r.config.Ask {
		t.life.state = StateAsking
		r.stopClock(now, t)
		r.push(t, Effect{Kind: Ask, Exec: t.life.exec})
		return
	}
	if exec.Terms != "" {
		r.fail(t, ungranted(exec.Terms)) // nobody is asked
		return
	}
	r.start(t)
}

// HandleDecision answers an Ask effect.
func (r *Registry) HandleDecision(now time.Time, id TerminalID, d Decision) {
	r.trace.decision(now, id, d)
	t := r.terminals[id]
	if t == nil || t.life.state != StateAsking {
		return
	}
	if !d.Allow {
		r.fail(t, &DeniedError{Reason: d.Reason})
		return
	}
	if terms := t.life.exec.Terms; terms != "" && !d.More {
		r.fail(t, ungranted(terms))
		return
	}
	r.setClock(now, t, t.life.timeLeft)
	r.start(t)
}

// setClock has t time out after d, unless that is 0.
func (r *Registry) setClock(now time.Time, t *Terminal, d time.Duration) {
	if d > 0 {
		t.life.timeoutAt = now.Add(d)
		r.timers.schedule(t)
	}
}

// stopClock keeps what is left of t's time, for setClock: nobody is to hurry who
// decides about it.
func (r *Registry) stopClock(now time.Time, t *Terminal) {
	if at := t.life.timeoutAt; !at.IsZero() {
		t.life.timeLeft = max(at.Sub(now), 1) // it is over at once
		t.life.timeoutAt = time.Time{}
		r.timers.schedule(t)
	}
}

func (r *Registry) start(t *Terminal) {
	t.life.state = StateStarting
	r.push(t, Effect{Kind: Start, Exec: t.life.exec})
}

// HandleStart answers a Start effect. If err is nil a process runs, and the
// host owes a HandleExit.
func (r *Registry) HandleStart(now time.Time, id TerminalID, err error) {
	r.trace.start(now, id, err)
	t := r.terminals[id]
	if t == nil || t.life.state != StateStarting {
		return
	}
	if err != nil {
		r.fail(t, err)
		return
	}
	t.life.state = StateRunning
	t.life.started = now
	r.dropStarted(t)
	if t.life.failed {
		r.escalate(now, t)
		r.timers.schedule(t)
		return
	}
	if t.life.timeoutAt.IsZero() { // else it has counted since the terminal was created
		r.setClock(now, t, t.life.exec.Command.Timeout)
	}
	r.push(t, Effect{Kind: Started, Exec: t.life.exec})
}

// dropStarted forgets what only the start of t needed, and counts it no longer.
func (r *Registry) dropStarted(t *Terminal) {
	l := &t.life
	l.exec = l.exec.started()
	now := min(l.exec.size(), l.held)
	r.letGo(0, l.held-now)
	l.held = now
}

// fail forgets a terminal that has no process.
func (r *Registry) fail(t *Terminal, err error) {
	r.tellFailed(t, err)
	r.uncount(t)
	r.forget(t)
}

// abandon ends a terminal that has not started yet. If the host is starting
// it at this moment, the process is killed as soon as there is one.
func (r *Registry) abandon(t *Terminal, err error) {
	if t.life.state < StateStarting {
		r.fail(t, err)
		return
	}
	r.tellFailed(t, err)
	t.life.released = true
}

func (r *Registry) tellFailed(t *Terminal, err error) {
	if !t.life.failed {
		t.life.failed = true
		t.life.timeoutAt = time.Time{}
		r.timers.schedule(t)
		r.push(t, Effect{Kind: StartFailed, Exec: t.life.exec, Err: err})
	}
}

// HandleExit reports that the command itself has ended. What it started may
// live on; HandleOutputEnd is independent of it.
func (r *Registry) HandleExit(now time.Time, id TerminalID, e Exit) {
	r.trace.exit(now, id, e)
	t := r.terminals[id]
	if t == nil || t.life.state != StateRunning {
		return
	}
	l := &t.life
	l.state = StateDraining
	l.ended = now
	l.exit = e
	if l.exit.Reason == ReasonNone {
		l.exit.Reason = l.why
	}
	l.timeoutAt, l.lostAt = time.Time{}, time.Time{}
	l.drainEnd = now.Add(r.config.DrainLimit)
	if l.why != ReasonNone || l.exit.Reason == ReasonTimeout || l.released {
		l.owed = 0 // somebody wants an end: it was cut short, and so may its output be
	}
	if l.outputEnded {
		r.publish(t)
		return
	}
	r.drainMore(now, t)
}

// drainMore puts off telling the exit, since output may still be coming.
func (r *Registry) drainMore(now time.Time, t *Terminal) {
	if t.life.state != StateDraining {
		return
	}
	t.life.drainAt = now.Add(r.config.DrainSilence)
	if t.life.owed == 0 {
		t.life.drainAt = earliest(t.life.drainAt, t.life.drainEnd)
	}
	r.timers.schedule(t)
}

// publish tells the exit.
func (r *Registry) publish(t *Terminal) {
	l := &t.life
	l.state = StateExited
	l.drainAt, l.drainEnd = time.Time{}, time.Time{}
	if !l.failed {
		r.push(t, Effect{Kind: Exited, Exit: l.exit})
	}
	if l.released {
		r.close(t)
		return
	}
	r.timers.schedule(t)
}

// expire does what is due for t.
func (r *Registry) expire(now time.Time, t *Terminal) {
	l := &t.life
	due := func(at *time.Time) bool {
		if at.IsZero() || at.After(now) {
			return false
		}
		*at = time.Time{}
		return true
	}
	switch {
	case !due(&l.timeoutAt):
	case l.state <= StateStarting:
		r.abandon(t, &HostError{
			Reason:  "timeout",
			Message: "timed out after " + l.exec.Command.Timeout.String() + ", before the command ran",
		})
		return
	default:
		l.overtime = true
		r.terminate(now, t, ReasonTimeout)
		r.expectExit(now, t)
	}
	if due(&l.escalateAt) {
		r.escalate(now, t)
	}
	if due(&l.lostAt) {
		l.ended = now
		l.exit = Exit{Status: ExitStatus{Unknown: true}, Reason: ReasonLost}
		if l.why == ReasonTimeout {
			l.exit.Reason = ReasonTimeout
		}
		r.publish(t)
	}
	switch {
	case !due(&l.drainAt):
	case l.owed > 0:
		r.drainMore(now, t)
	default:
		r.publish(t)
	}
	r.timers.schedule(t)
}
