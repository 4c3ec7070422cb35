package core

import "time"

// A drain is the time between a command's exit and Exited, in which what it had
// written is still being read. It ends with the output, else when that has been
// silent for Config.DrainSilence, and Config.DrainLimit after the exit at the
// latest. Its zero value is that of a command which has not ended.
type drain struct {
	outputEnded bool // no process holds the output open any longer
	owed        int  // bytes written by the exit, at the most, that are still to be handled

	at  time.Time // tell the exit: the output has fallen silent
	end time.Time // the latest that at may be, once nothing is owed
}

// putOff waits for silence once more, since output may still be coming.
func (d *drain) putOff(now time.Time, silence time.Duration) {
	d.at = now.Add(silence)
	if d.owed == 0 {
		d.at = earliest(d.at, d.end)
	}
}

// stop has the clock do nothing more.
func (d *drain) stop() { d.at, d.end = time.Time{}, time.Time{} }

// HandleExit reports that the command itself has ended. What it started may
// live on; HandleOutputEnd is independent of it.
func (r *Registry) HandleExit(now time.Time, id TerminalID, e Exit) {
	r.trace.exit(now, id, e)
	t := r.terminals[id]
	if t == nil {
		return
	}
	t.mustBeWhole()
	if t.life.state == StateStarting {
		t.life.early, t.life.exit = true, e // see catchUp
		return
	}
	r.exited(now, t, e)
}

func (r *Registry) exited(now time.Time, t *Terminal, e Exit) {
	if t.life.state != StateRunning {
		return
	}
	if e.Reason == ReasonNone {
		e.Reason = t.killing.why
	}
	t.life.end(now, e)
	t.timeLimit.stop()
	t.killing.lostAt = time.Time{}
	t.drain.end = now.Add(r.config.DrainLimit)
	if t.killing.why != ReasonNone || e.Reason == ReasonTimeout || t.life.released {
		t.drain.owed = 0 // who cuts a command short does not wait for all of its output
	}
	if t.drain.outputEnded {
		r.publish(t)
		return
	}
	r.drainMore(now, t)
}

// drainMore puts off telling the exit of a terminal that is draining.
func (r *Registry) drainMore(now time.Time, t *Terminal) {
	if t.life.state == StateDraining {
		t.drain.putOff(now, r.config.DrainSilence)
		r.timers.schedule(t)
	}
}

// expireDrain tells the exit, now that the output has been silent for long
// enough, unless it is the driver that was silent:
//
//  1. A command writes 1 MiB and exits. The driver is busy and has read none of it.
//  2. DrainSilence passes. Did that tell the exit, a client that then asks for the
//     output would miss what the command wrote before it ended.
func (r *Registry) expireDrain(now time.Time, t *Terminal) {
	if t.drain.owed > 0 {
		r.drainMore(now, t)
		return
	}
	r.publish(t)
}

// publish tells the exit.
func (r *Registry) publish(t *Terminal) {
	t.life.state = StateExited
	t.drain.stop()
	if !t.life.failed {
		r.push(t, Effect{Kind: Exited, Exit: t.life.exit})
	}
	if t.life.released {
		r.close(t)
		return
	}
	r.timers.schedule(t)
}

// outputSeen goes on with the drain, now that the output half of t has p.
func (r *Registry) outputSeen(now time.Time, t *Terminal, stream uint8, p []byte) {
	r.trace.output(now, t.id, stream, p)
	r.pay(now, t, len(p))
	r.drainMore(now, t)
}

// HandleOutputEnd reports that no process holds the output open any longer.
func (r *Registry) HandleOutputEnd(now time.Time, id TerminalID) {
	r.trace.input(now, "output_end", id)
	t := r.terminals[id]
	if t == nil || t.closing != closeNone || t.drain.outputEnded {
		return
	}
	t.mustBeWhole()
	t.output.end()
	r.markChanged(t)
	r.outputEnded(t)
}

func (r *Registry) outputEnded(t *Terminal) {
	if t.closing != closeNone || t.drain.outputEnded {
		return
	}
	t.drain.outputEnded = true
	if t.life.state == StateDraining {
		r.publish(t)
	}
}
