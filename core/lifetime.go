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

// A lifetime is where a terminal is in its life, and what was told of it so far.
type lifetime struct {
	state          State
	started, ended time.Time // zero as long as that has not happened
	exit           Exit      // what Exited tells; set in StateDraining, StateExited, and if early

	early    bool // exit has come before the answer to Start, and waits for that
	failed   bool // StartFailed was told
	released bool // only its output is left to see
}

// begin says that a process runs.
func (l *lifetime) begin(now time.Time) {
	l.state = StateRunning
	l.started = now
}

// end says how the process ended. What it had written may still be on its way.
func (l *lifetime) end(now time.Time, e Exit) {
	l.state = StateDraining
	l.ended = now
	l.exit = e
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
	exec := t.exec // of which Resolve has only the Command
	exec.Path, exec.Argv, exec.Via, exec.Sandbox, exec.Terms, exec.Host = e.Path, e.Argv, e.Via, e.Sandbox, e.Terms, e.Host
	if r.config.Ask {
		t.life.state = StateAsking
		t.timeLimit.pause(now)
		r.timers.schedule(t)
		r.push(t, Effect{Kind: Ask, Exec: exec})
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
	if terms := t.exec.Terms; terms != "" && !d.More {
		r.fail(t, ungranted(terms))
		return
	}
	t.timeLimit.resume(now)
	r.timers.schedule(t)
	r.start(t)
}

func (r *Registry) start(t *Terminal) {
	t.life.state = StateStarting
	r.push(t, Effect{Kind: Start, Exec: t.exec})
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
	t.life.begin(now)
	r.dropStarted(t)
	if t.life.failed { // see abandon
		r.escalate(now, t)
		r.catchUp(now, t)
		return
	}
	if !t.timeLimit.running() { // else it has counted since the terminal was created
		t.timeLimit.set(now, t.exec.Command.Timeout)
		r.timers.schedule(t)
	}
	r.push(t, Effect{Kind: Started, Exec: t.exec})
	r.catchUp(now, t)
}

// catchUp handles what was reported of t before the answer to Start: a host may
// read and wait on threads of their own, and the command may be quick.
func (r *Registry) catchUp(now time.Time, t *Terminal) {
	if t.output.changed {
		r.markChanged(t)
	}
	if t.life.early {
		t.life.early = false
		r.exited(now, t, t.life.exit)
	}
}

// dropStarted forgets what only the start of t needed, and counts it no longer.
func (r *Registry) dropStarted(t *Terminal) {
	t.exec = t.exec.started()
	now := min(t.exec.size(), t.held)
	r.letGo(0, t.held-now)
	t.held = now
}

// fail forgets a terminal that has no process.
func (r *Registry) fail(t *Terminal, err error) {
	r.tellFailed(t, err)
	r.uncount(t)
	r.forget(t)
}

// abandon ends a terminal that has not started yet. One that the host is
// starting at this moment is told to have failed, but not forgotten:
//
//  1. We push Start, and the host forks.
//  2. The client calls Kill. There is no process yet that we could signal.
//  3. We tell StartFailed, and the client forgets the terminal.
//  4. HandleStart says that a process runs. Were t forgotten, nobody would ever
//     kill it.
//
// So t stays, released, and HandleStart sends SIGKILL.
func (r *Registry) abandon(t *Terminal, err error) {
	if t.life.state < StateStarting {
		r.fail(t, err)
		return
	}
	r.tellFailed(t, err)
	t.life.released = true
}

// tellFailed says that t has no process that anybody has to care for. After
// abandon it was said already.
func (r *Registry) tellFailed(t *Terminal, err error) {
	if t.life.failed {
		return
	}
	t.life.failed = true
	t.timeLimit.stop()
	r.timers.schedule(t)
	r.push(t, Effect{Kind: StartFailed, Exec: t.exec, Err: err})
}
