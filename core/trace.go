//go:build !reactor

package core

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// A tracer writes what goes into the machine and what comes out, one line
// each, in the dialect that package coretest runs: a trace is a script. Its
// methods do nothing on a nil tracer.
type tracer struct {
	out  func(string)
	last time.Time
	line []byte
}

// newTracer writes the config line, so that a replay has the same limits.
// The seed is a secret and stays out: scripts name terminals by number.
func newTracer(c Config) *tracer {
	if c.Trace == nil {
		return nil
	}
	tr := &tracer{out: c.Trace}
	tr.word("config")
	tr.flag("ask", c.Ask).flag("screens", c.Screens)
	tr.duration("kill-grace", c.KillGrace).duration("lost-after", c.LostAfter)
	tr.duration("drain-silence", c.DrainSilence).duration("drain-limit", c.DrainLimit)
	tr.duration("timeout", c.Timeout)
	tr.int("rows", int64(c.Rows)).int("cols", int64(c.Cols))
	tr.int("output-byte-limit", c.OutputByteLimit).int("max-output-byte-limit", c.MaxOutputByteLimit)
	tr.int("max-input", int64(c.MaxInput)).int("live-bytes", int64(c.LiveBytes))
	tr.int("max-terminals", int64(c.MaxTerminals)).int("max-session-terminals", int64(c.MaxSessionTerminals))
	tr.int("max-output-bytes", c.MaxOutputBytes)
	tr.int("keep-terminals", int64(c.KeepTerminals)).int("keep-bytes", c.KeepBytes)
	tr.int("max-kept-terminals", int64(c.MaxKeptTerminals)).int("max-kept-bytes", c.MaxKeptBytes)
	tr.flush()
	return tr
}

// at writes the time that has passed since the last line and begins a new one.
func (tr *tracer) at(now time.Time, verb string) *tracer {
	if tr.last.IsZero() {
		tr.last = now
	}
	if passed := now.Sub(tr.last); passed > 0 {
		tr.word("clock").word(passed.String()).flush()
		tr.last = now
	}
	return tr.word(verb)
}

func (tr *tracer) flush() {
	tr.out(string(tr.line))
	tr.line = tr.line[:0]
}

func (tr *tracer) word(w string) *tracer {
	if len(tr.line) > 0 {
		tr.line = append(tr.line, ' ')
	}
	tr.line = append(tr.line, w...)
	return tr
}

func (tr *tracer) quote(s string) *tracer { return tr.word(strconv.Quote(s)) }

func (tr *tracer) id(id TerminalID) *tracer {
	return tr.word("t" + strconv.FormatUint(id.number(), 10))
}

func (tr *tracer) string(key, value string) *tracer {
	return tr.word(key + "=" + strconv.Quote(value))
}

// int leaves out zero, which is the default of everything traced with it.
func (tr *tracer) int(key string, value int64) *tracer {
	if value == 0 {
		return tr
	}
	return tr.word(key + "=" + strconv.FormatInt(value, 10))
}

func (tr *tracer) duration(key string, value time.Duration) *tracer {
	if value == 0 {
		return tr
	}
	return tr.word(key + "=" + value.String())
}

// err writes nothing for a nil error: the input says success without it.
func (tr *tracer) err(err error) *tracer {
	if err == nil {
		return tr
	}
	var host *HostError
	if errors.As(err, &host) {
		tr.string("reason", host.Reason)
	}
	return tr.string("error", err.Error())
}

func (tr *tracer) flag(name string, on bool) *tracer {
	if on {
		tr.word(name)
	}
	return tr
}

// Inputs.

func (tr *tracer) input(now time.Time, verb string, id TerminalID) {
	if tr != nil {
		tr.at(now, verb).id(id).flush()
	}
}

func (tr *tracer) create(now time.Time, s SessionID, c *Command) {
	if tr == nil {
		return
	}
	tr.at(now, "create").quote(string(s)).command(c)
	tr.flag("interactive", c.Interactive).flag("screen", c.Screen)
	for _, root := range c.Roots {
		tr.string("root", root)
	}
	if b := c.Bounds; b != nil {
		tr.string("ask-sandbox", b.Sandbox)
		for _, host := range b.Net {
			tr.string("ask-net", host)
		}
	}
	tr.int("rows", int64(c.Rows)).int("cols", int64(c.Cols)).int("limit", c.OutputByteLimit)
	tr.duration("timeout", c.Timeout)
	if c.Rendering != RenderDefault {
		tr.word("render=" + c.Rendering.String())
	}
	tr.flush()
}

// command writes the parts of a command that a host acts on.
func (tr *tracer) command(c *Command) *tracer {
	tr.string("command", c.Command)
	for _, a := range c.Args {
		tr.string("arg", a)
	}
	for _, e := range c.Env {
		if strings.Contains(e.Name, "=") {
			tr.string("env-name", e.Name) // invalid whatever its value
			continue
		}
		tr.string("env", e.Name+"="+e.Value)
	}
	if c.Cwd != "" {
		tr.string("cwd", c.Cwd)
	}
	if c.Traceparent != "" {
		tr.string("traceparent", string(c.Traceparent))
	}
	return tr.flag("pty", c.Pty).flag("one-stream", c.OneStream)
}

func (tr *tracer) exec(e *Exec) *tracer {
	tr.string("path", e.Path)
	for _, a := range e.Argv {
		tr.string("argv", a)
	}
	tr.word("via=" + string(e.Via))
	if e.Sandbox != "" {
		tr.string("sandbox", e.Sandbox)
	}
	if e.Terms != "" {
		tr.string("terms", e.Terms)
	}
	return tr
}

func (tr *tracer) resolved(now time.Time, id TerminalID, e *Exec, err error) {
	if tr == nil {
		return
	}
	tr.at(now, "resolved").id(id).err(err)
	if err == nil {
		tr.exec(e)
	}
	tr.flush()
}

func (tr *tracer) decision(now time.Time, id TerminalID, d Decision) {
	if tr == nil {
		return
	}
	tr.at(now, "decision").id(id)
	if d.Allow {
		tr.word("allow").flag("more", d.More).flush()
		return
	}
	tr.string("deny", d.Reason).flush()
}

func (tr *tracer) start(now time.Time, id TerminalID, err error) {
	if tr != nil {
		tr.at(now, "start").id(id).err(err).flush()
	}
}

func (tr *tracer) output(now time.Time, id TerminalID, stream uint8, p []byte) {
	if tr != nil {
		tr.at(now, "output").id(id).word(strconv.Itoa(int(stream))).quote(string(p)).flush()
	}
}

func (tr *tracer) pending(now time.Time, id TerminalID, n int) {
	if tr != nil {
		tr.at(now, "pending").id(id).word(strconv.Itoa(n)).flush()
	}
}

func (tr *tracer) exit(now time.Time, id TerminalID, e Exit) {
	if tr != nil {
		tr.at(now, "exit").id(id).exitRecord(e).flush()
	}
}

func (tr *tracer) exitRecord(e Exit) *tracer {
	switch {
	case e.Status.Unknown:
		tr.word("unknown")
	case e.Status.Signal != "":
		tr.word("signal=" + e.Status.Signal)
	default:
		tr.word("code=" + strconv.FormatUint(uint64(e.Status.ExitCode), 10))
	}
	if e.Reason != ReasonNone {
		tr.word("reason=" + string(e.Reason))
	}
	return tr
}

func (tr *tracer) write(now time.Time, id TerminalID, p []byte) {
	if tr != nil {
		tr.at(now, "write").id(id).quote(string(p)).flush()
	}
}

func (tr *tracer) written(now time.Time, id TerminalID, n int) {
	if tr != nil {
		tr.at(now, "written").id(id).word(strconv.Itoa(n)).flush()
	}
}

func (tr *tracer) resize(now time.Time, id TerminalID, rows, cols int) {
	if tr != nil {
		tr.at(now, "resize").id(id).word(strconv.Itoa(rows)).word(strconv.Itoa(cols)).flush()
	}
}

func (tr *tracer) closeSession(now time.Time, s SessionID) {
	if tr != nil {
		tr.at(now, "close_session").quote(string(s)).flush()
	}
}

func (tr *tracer) timeout(now time.Time) {
	if tr != nil {
		tr.at(now, "timeout").flush()
	}
}

// failed writes the error that a command returned, if it did.
func (tr *tracer) failed(err error) {
	if tr != nil && err != nil {
		tr.out("< error " + strconv.Quote(err.Error()))
	}
}

// Effects.

func (tr *tracer) effect(e *Effect) {
	if tr != nil {
		tr.out("< " + e.String())
	}
}

// String returns the effect as scripts and traces show it, its terminal by
// number: "signal t1 SIGTERM".
func (e Effect) String() string {
	var tr tracer
	tr.word(e.Kind.String()).id(e.ID)
	switch e.Kind {
	case Resolve:
		tr.command(e.Command)
	case Ask, Start:
		tr.exec(e.Exec)
	case WriteInput:
		tr.quote(string(e.Data))
	case Resize:
		tr.word(strconv.Itoa(e.Rows)).word(strconv.Itoa(e.Cols))
	case Signal:
		tr.word(e.Signal)
	case StartFailed:
		tr.string("error", e.Err.Error())
	case OutputChanged:
		if len(e.Data) > 0 {
			tr.quote(string(e.Data))
		}
		tr.int("lost", int64(e.Lost))
	case Exited:
		tr.exitRecord(e.Exit)
	}
	return string(tr.line)
}
