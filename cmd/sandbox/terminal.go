package main

import (
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A terminal is what the page is told of one, the page's own or an agent's. Its
// fields are guarded by sandbox.mu, but for the first three.
type terminal struct {
	id     core.TerminalID
	peer   int32 // 0: it is the page's own
	driver *driver.Driver

	session core.SessionID
	state   string
	exec    core.Exec // as far as it is known
	rows    int
	cols    int
	started time.Time
	ended   time.Time
	exit    *core.ExitStatus // nil until it has ended
	endedBy string           // "" if it ended by itself
	err     error            // of a command that does not run

	person   bool // who has killed or released it
	killed   bool
	released bool
	closed   bool // nothing more comes, and there is no screen any longer

	told      uint64 // bytes of output that news have brought
	written   uint64 // bytes of output, as last counted
	kept      int
	truncated bool

	last    snapshot // once it is closed; without data if that went to make room
	watches map[*watch]struct{}
}

// States, as ABI.md has them.
const (
	queued  = "queued"
	asking  = "asking"
	running = "running"
	exited  = "exited"
	killed  = "killed"
	noStart = "failed"
)

// Who or what ends a command, besides core's reasons for limits.
const (
	byPerson  = "person"
	byAgent   = "agent"
	bySignal  = "signal"
	bySandbox = "sandbox"
	byUnknown = "unknown"
)

// end sets how t has ended.
func (t *terminal) end(x core.Exit, closing bool) {
	t.exit = &x.Status
	t.state, t.endedBy = exited, ""
	switch x.Reason {
	case core.ReasonNone:
		if x.Status.Signal != "" {
			t.endedBy = bySignal
		}
	case core.ReasonKilled, core.ReasonReleased:
		t.endedBy = t.by(closing)
	case core.ReasonLost:
		t.endedBy = byUnknown
	default:
		t.endedBy = string(x.Reason)
	}
	if t.endedBy != "" {
		t.state = killed
	}
}

// by is who has killed t.
func (t *terminal) by(closing bool) string {
	switch {
	case t.person:
		return byPerson
	case closing:
		return bySandbox
	case t.peer == 0:
		return byPerson
	}
	return byAgent
}

// fail sets why t never ran.
func (t *terminal) fail(err error, closing bool) {
	t.state, t.err = noStart, err
	if reason := startFailure(err); reason == "killed" || reason == "released" {
		t.state, t.endedBy = killed, t.by(closing)
	}
}

func (e *encoder) terminal(t *terminal) {
	c := &t.exec.Command
	e.begin()
	e.text("id", string(t.id))
	e.int("peer", int64(t.peer))
	e.text("session", string(t.session))
	e.text("state", t.state)
	e.bool("released", t.released)
	e.bool("closed", t.closed)
	e.text("command", c.Command)
	e.texts("args", c.Args)
	if t.exec.Path != "" {
		e.texts("argv", t.exec.Argv)
		e.text("path", t.exec.Path)
		e.text("via", string(t.exec.Via))
	}
	e.text("cwd", c.Cwd)
	e.bool("pty", c.Pty)
	e.bool("interactive", c.Interactive)
	e.int("rows", int64(t.rows))
	e.int("cols", int64(t.cols))
	if !t.started.IsZero() {
		e.int("startedMs", t.started.UnixMilli())
	}
	if !t.ended.IsZero() {
		e.int("endedMs", t.ended.UnixMilli())
	}
	e.counts(t)
	if t.exit != nil {
		e.key("exit")
		e.exit(t.exit)
	}
	if t.endedBy != "" {
		e.text("endedBy", t.endedBy)
	}
	if t.err != nil {
		e.key("error")
		e.failure(startFailure(t.err), t.err.Error())
	}
	e.end()
}

func (e *encoder) counts(t *terminal) {
	e.int("bytes", int64(t.written))
	e.int("kept", int64(t.kept))
	e.bool("truncated", t.truncated)
}

// exit writes a status in the form that ACP gives it.
func (e *encoder) exit(x *core.ExitStatus) {
	e.begin()
	if x.Unknown || x.Signal != "" {
		e.null("exitCode")
	} else {
		e.int("exitCode", int64(x.ExitCode))
	}
	e.optional("signal", x.Signal)
	e.end()
}

func (e *encoder) failure(reason, message string) {
	e.begin()
	e.text("reason", reason)
	e.text("message", message)
	e.end()
}
