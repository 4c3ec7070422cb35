package main

import (
	"time"
	"unsafe"

	"github.com/terrarium-dev/terrarium/core"
)

// A call is one call about a registry, its arguments checked.
type call struct {
	*registry
	now   time.Time
	first []byte // names a terminal, or a session; lent, like rest
	rest  []byte
}

// call begins a call: it finds the registry, and takes first and rest, of the
// given lengths, from the beginning of the input buffer. If there is something
// wrong with them, it returns nil and what the export is to return.
func (i *instance) call(handle int32, now int64, first, rest int32) (*call, int32) {
	i.begin()
	c := &i.current
	if c.registry = i.find(handle); c.registry == nil {
		return nil, i.fail(errBadHandle)
	}
	if now < 0 {
		return nil, i.fail(errBadTime)
	}
	c.now = time.Unix(0, now).UTC()
	if !i.cut(first, rest) {
		return nil, i.fail(errBadLength)
	}
	return c, ok
}

// cut takes first and rest from the input buffer.
func (i *instance) cut(first, rest int32) bool {
	if first < 0 || rest < 0 || int(first)+int(rest) > len(i.in) {
		return false
	}
	end := int(first) + int(rest)
	i.current.first = i.in[:first:first]
	i.current.rest = i.in[first:end:end]
	return true
}

func (c *call) id() core.TerminalID     { return core.TerminalID(c.first) }
func (c *call) session() core.SessionID { return core.SessionID(c.first) }

// lentID is id without a copy, for callees that keep nothing of it.
func (c *call) lentID() core.TerminalID {
	return core.TerminalID(unsafe.String(unsafe.SliceData(c.first), len(c.first)))
}
