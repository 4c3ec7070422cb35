package core

import "time"

// A timeLimit is how long a terminal's command may still take: Command.Timeout.
// Its zero value is no limit.
type timeLimit struct {
	at   time.Time     // the time is over; zero if it does not run
	left time.Duration // until then, while it is paused
	over bool          // a process ran for longer
}

// set has the time be over after d, unless that is 0.
func (l *timeLimit) set(now time.Time, d time.Duration) {
	if d > 0 {
		l.at = now.Add(d)
	}
}

func (l *timeLimit) running() bool { return !l.at.IsZero() }

// stop ends the limit: there is nothing left that could take long.
func (l *timeLimit) stop() { l.at = time.Time{} }

// pause keeps what is left of the time for resume: nobody is to hurry who
// decides about a command.
func (l *timeLimit) pause(now time.Time) {
	if l.running() {
		l.left = max(l.at.Sub(now), 1) // 0 would be no limit; so it is over at once
		l.stop()
	}
}

func (l *timeLimit) resume(now time.Time) { l.set(now, l.left) }

// expireLimit ends a command whose time is over.
func (r *Registry) expireLimit(now time.Time, t *Terminal) {
	if t.life.state <= StateStarting {
		r.abandon(t, &HostError{
			Reason:  "timeout",
			Message: "timed out after " + t.exec.Command.Timeout.String() + ", before the command ran",
		})
		return
	}
	t.timeLimit.over = true
	r.terminate(now, t, ReasonTimeout)
	r.expectExit(now, t)
}
