package main

import (
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
)

// issued reports whether a session was ever given a terminal's id.
func (i *instance) issued(handle int32, sessionLen, idLen int32) int32 {
	c, status := i.call(handle, 0, sessionLen, idLen)
	if c == nil {
		return status
	}
	if c.Issued(c.session(), core.TerminalID(c.rest)) {
		return yes
	}
	return ok
}

// status makes what is known of a terminal the result, as JSON.
func (i *instance) status(handle int32, idLen int32) int32 {
	c, status := i.call(handle, 0, idLen, 0)
	if c == nil {
		return status
	}
	s, known := c.Status(c.id())
	if !known {
		return i.fail(core.ErrUnknownTerminal)
	}
	e := encoder{abi.Encoder{JSON: i.result}}
	e.status(&s)
	i.result = e.JSON
	return ok
}

// output makes a terminal's output the result; yes means that it is truncated.
func (i *instance) output(handle int32, idLen int32) int32 {
	c, status := i.call(handle, 0, idLen, 0)
	if c == nil {
		return status
	}
	t, known := c.Terminal(c.id())
	if !known {
		return i.fail(core.ErrUnknownTerminal)
	}
	var truncated bool
	if i.result, truncated = t.AppendOutput(i.result); truncated {
		return yes
	}
	return ok
}

// outputSince makes output from an offset on the result, after two numbers,
// 8 bytes each, little-endian: the offset to ask for next, and how many bytes
// are lost.
func (i *instance) outputSince(handle int32, idLen int32, offset int64) int32 {
	c, status := i.call(handle, 0, idLen, 0)
	if c == nil {
		return status
	}
	t, known := c.Terminal(c.id())
	if !known {
		return i.fail(core.ErrUnknownTerminal)
	}
	const head = 16
	out, next, lost := t.AppendSince(append(i.result, make([]byte, head)...), uint64(offset))
	for k := range 8 {
		out[k] = byte(next >> (8 * k))
		out[8+k] = byte(lost >> (8 * k))
	}
	i.result = out
	return ok
}

func (e *encoder) status(s *core.Status) {
	e.Begin()
	e.Text("sessionId", string(s.Session))
	e.Text("state", s.State.String())
	e.Bool("released", s.Released)
	e.Key("exec")
	e.exec(&s.Exec)
	e.Int("rows", int64(s.Rows))
	e.Int("cols", int64(s.Cols))
	if s.State == core.StateExited {
		e.Key("exit")
		e.exit(&s.Exit)
	}
	if !s.Started.IsZero() {
		e.Int("startedNs", nanos(s.Started))
	}
	if !s.Ended.IsZero() {
		e.Int("endedNs", nanos(s.Ended))
	}
	e.End()
}
