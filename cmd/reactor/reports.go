package main

import (
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// What a host reports. As in core, a report about a terminal that is gone, or
// never was, is ignored: hosts can't know.

// handleResolved takes an Exec, or an error, as JSON.
func (i *instance) handleResolved(handle int32, now int64, idLen, n int32) int32 {
	c, status := i.call(handle, now, idLen, n)
	if c == nil {
		return status
	}
	exec, refusal, err := decodeResolved(c.rest)
	if err != nil {
		return i.fail(err)
	}
	c.HandleResolved(c.now, c.id(), exec, refusal)
	return ok
}

func (i *instance) handleDecision(handle int32, now int64, idLen, n int32) int32 {
	c, status := i.call(handle, now, idLen, n)
	if c == nil {
		return status
	}
	decision, err := decodeDecision(c.rest)
	if err != nil {
		return i.fail(err)
	}
	c.HandleDecision(c.now, c.id(), decision)
	return ok
}

// handleStart takes an error as JSON, or nothing: then a process runs.
func (i *instance) handleStart(handle int32, now int64, idLen, n int32) int32 {
	c, status := i.call(handle, now, idLen, n)
	if c == nil {
		return status
	}
	if n == 0 {
		c.HandleStart(c.now, c.id(), nil)
		return ok
	}
	refusal, err := decodeHostError(c.rest)
	if err != nil {
		return i.fail(err)
	}
	c.HandleStart(c.now, c.id(), refusal)
	return ok
}

func (i *instance) handleWritten(handle int32, now int64, idLen, count int32) int32 {
	c, status := i.call(handle, now, idLen, 0)
	if c == nil {
		return status
	}
	c.HandleWritten(c.now, c.id(), int(count))
	return ok
}

// handleOutput is the hot path: it does not allocate.
func (i *instance) handleOutput(handle int32, now int64, idLen, n, stream int32) int32 {
	c, status := i.call(handle, now, idLen, n)
	if c == nil {
		return status
	}
	if stream != 1 && stream != 2 {
		return i.fail(errBadStream)
	}
	c.HandleOutput(c.now, c.lentID(), uint8(stream), c.rest)
	return ok
}

func (i *instance) handleOutputEnd(handle int32, now int64, idLen int32) int32 {
	return i.report(handle, now, idLen, (*core.Registry).HandleOutputEnd)
}

func (i *instance) handleExit(handle int32, now int64, idLen, n int32) int32 {
	c, status := i.call(handle, now, idLen, n)
	if c == nil {
		return status
	}
	exit, err := decodeExit(c.rest)
	if err != nil {
		return i.fail(err)
	}
	c.HandleExit(c.now, c.id(), exit)
	return ok
}

func (i *instance) handleClosed(handle int32, now int64, idLen int32) int32 {
	return i.report(handle, now, idLen, (*core.Registry).HandleClosed)
}

func (i *instance) handleTimeout(handle int32, now int64) int32 {
	c, status := i.call(handle, now, 0, 0)
	if c == nil {
		return status
	}
	c.HandleTimeout(c.now)
	return ok
}

// report calls a method that needs no more than a terminal.
func (i *instance) report(handle int32, now int64, idLen int32, method func(*core.Registry, time.Time, core.TerminalID)) int32 {
	c, status := i.call(handle, now, idLen, 0)
	if c == nil {
		return status
	}
	method(c.Registry, c.now, c.id())
	return ok
}
