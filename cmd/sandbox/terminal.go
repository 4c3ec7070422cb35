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
	e.Begin()
	e.Text("id", string(t.id))
	e.Int("peer", int64(t.peer))
	e.Text("session", string(t.session))
	e.Text("state", t.state)
	e.Bool("released", t.released)
	e.Bool("closed", t.closed)
	e.Text("command", c.Command)
	e.Texts("args", c.Args)
	if t.exec.Path != "" {
		e.Texts("argv", t.exec.Argv)
		e.Text("path", t.exec.Path)
		e.Text("via", string(t.exec.Via))
	}
	e.Text("cwd", c.Cwd)
	e.Bool("pty", c.Pty)
	e.Bool("interactive", c.Interactive)
	e.Int("rows", int64(t.rows))
	e.Int("cols", int64(t.cols))
	if !t.started.IsZero() {
		e.Int("startedMs", t.started.UnixMilli())
	}
	if !t.ended.IsZero() {
		e.Int("endedMs", t.ended.UnixMilli())
	}
	e.counts(t)
	if t.exit != nil {
		e.Key("exit")
		e.exit(t.exit)
	}
	if t.endedBy != "" {
		e.Text("endedBy", t.endedBy)
	}
	if t.err != nil {
		e.Key("error")
		e.failure(startFailure(t.err), t.err.Error())
	}
	e.End()
}

func (e *encoder) counts(t *terminal) {
	e.Int("bytes", int64(t.written))
	e.Int("kept", int64(t.kept))
	e.Bool("truncated", t.truncated)
}

// exit writes a status in the form that ACP gives it.
func (e *encoder) exit(x *core.ExitStatus) {
	e.Begin()
	if x.Unknown || x.Signal != "" {
		e.Null("exitCode")
	} else {
		e.Int("exitCode", int64(x.ExitCode))
	}
	e.Optional("signal", x.Signal)
	e.End()
}

func (e *encoder) failure(reason, message string) {
	e.Begin()
	e.Text("reason", reason)
	e.Text("message", message)
	e.End()
}
