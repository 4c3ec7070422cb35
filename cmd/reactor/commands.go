package main

import (
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// What a client asks. Each method is that of core.Registry with the same name.

// create takes a session's id and a command as JSON. Its result is the
// terminal's id.
func (i *instance) create(handle int32, now int64, sessionLen, n int32) int32 {
	c, status := i.call(handle, now, sessionLen, n)
	if c == nil {
		return status
	}
	command, err := decodeCommand(c.rest)
	if err != nil {
		return i.fail(err)
	}
	id, err := c.Create(c.now, c.session(), command)
	if err != nil {
		return i.fail(err)
	}
	i.result = append(i.result, id...)
	return ok
}

func (i *instance) write(handle int32, now int64, idLen, n int32) int32 {
	c, status := i.call(handle, now, idLen, n)
	if c == nil {
		return status
	}
	return i.end(c.Write(c.now, c.id(), c.rest))
}

func (i *instance) closeInput(handle int32, now int64, idLen int32) int32 {
	return i.command(handle, now, idLen, (*core.Registry).CloseInput)
}

func (i *instance) resize(handle int32, now int64, idLen, rows, cols int32) int32 {
	c, status := i.call(handle, now, idLen, 0)
	if c == nil {
		return status
	}
	return i.end(c.Resize(c.now, c.id(), int(rows), int(cols)))
}

func (i *instance) kill(handle int32, now int64, idLen int32) int32 {
	return i.command(handle, now, idLen, (*core.Registry).Kill)
}

func (i *instance) release(handle int32, now int64, idLen int32) int32 {
	return i.command(handle, now, idLen, (*core.Registry).Release)
}

func (i *instance) closeSession(handle int32, now int64, sessionLen int32) int32 {
	c, status := i.call(handle, now, sessionLen, 0)
	if c == nil {
		return status
	}
	return i.end(c.CloseSession(c.now, c.session()))
}

func (i *instance) closeAll(handle int32, now int64) int32 {
	c, status := i.call(handle, now, 0, 0)
	if c == nil {
		return status
	}
	c.CloseAll(c.now)
	return ok
}

// command calls a method that needs no more than a terminal.
func (i *instance) command(handle int32, now int64, idLen int32, method func(*core.Registry, time.Time, core.TerminalID) error) int32 {
	c, status := i.call(handle, now, idLen, 0)
	if c == nil {
		return status
	}
	return i.end(method(c.Registry, c.now, c.id()))
}
