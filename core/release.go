package core

import "time"

// closeStage is what became of the host's part of a terminal.
type closeStage uint8

const (
	closeNone  closeStage = iota
	closeAsked            // the host was told Close
	closeDone             // the host has answered: nothing is left there
)

// held returns the terminal that id names unless it was released.
func (r *Registry) held(id TerminalID) (*Terminal, error) {
	t := r.terminals[id]
	switch {
	case t == nil:
		return nil, ErrUnknownTerminal
	case t.life.released:
		return nil, ErrReleased
	}
	return t, nil
}

// Release kills what still runs and frees the terminal. Its id is invalid for
// every other command from now on; its output stays, for display, until the
// session is closed or Config.KeepTerminals or KeepBytes evicts it. An Exited
// that is still owed comes. Releasing a second time does nothing.
func (r *Registry) Release(now time.Time, id TerminalID) (err error) {
	r.trace.input(now, "release", id)
	defer func() { r.trace.failed(err) }()
	t := r.terminals[id]
	if t == nil {
		return ErrUnknownTerminal
	}
	r.release(now, t)
	return nil
}

func (r *Registry) release(now time.Time, t *Terminal) {
	if t.life.released {
		return
	}
	if t.life.state <= StateStarting {
		r.abandon(t, ErrReleased)
		return
	}
	t.life.released = true
	switch t.life.state {
	case StateRunning:
		r.terminate(now, t, ReasonReleased)
		r.expectExit(now, t)
	case StateDraining:
		r.waive(now, t)
	case StateExited:
		r.close(t)
	}
}

// close tells the host to free a terminal that was released and has ended.
func (r *Registry) close(t *Terminal) {
	t.closing = closeAsked
	t.timeLimit.stop()
	t.killing.stop()
	t.drain.stop()
	r.timers.schedule(t)
	r.push(t, Effect{Kind: Close})
}

// HandleClosed answers a Close effect: nothing of the terminal is left on the
// host, and no more output comes. Its output is kept for display.
func (r *Registry) HandleClosed(now time.Time, id TerminalID) {
	r.trace.input(now, "closed", id)
	t := r.terminals[id]
	if t == nil || t.closing != closeAsked {
		return
	}
	t.mustBeWhole()
	t.output.close()
	r.closed(t)
}

func (r *Registry) closed(t *Terminal) {
	if t.closing != closeAsked {
		return
	}
	t.closing = closeDone
	r.uncount(t)
	if t.life.failed || t.session.closed {
		r.forget(t)
		return
	}
	r.keep(t)
}

// uncount gives back what admit counted.
func (r *Registry) uncount(t *Terminal) {
	r.letGo(1, t.held+t.exec.Command.outputBytes(t.rows, t.cols))
	t.session.live--
}

// forget makes the id of t invalid for everything.
func (r *Registry) forget(t *Terminal) {
	delete(r.terminals, t.id)
	s := t.session
	s.remove(t)
	if len(s.terminals) == 0 && !s.closed {
		r.forgetSession(s)
	}
}
