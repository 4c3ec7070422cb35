package main

import (
	"time"

	"github.com/terrarium-dev/terrarium/core/abi"
)

// nextEffect makes the header of the registry's next effect the result, and
// returns it; nil if there is none. The effect's Data is then in i.data.
func (i *instance) nextEffect(handle int32) []byte {
	c, _ := i.call(handle, 0, 0, 0)
	if c == nil {
		return nil
	}
	x, some := c.NextEffect()
	if !some {
		return nil
	}
	if c.conn != nil {
		c.conn.HandleEffect(time.Time{}, &x)
	}
	i.data = x.Data
	e := encoder{abi.Encoder{JSON: i.result}}
	e.effect(&x)
	i.result = e.JSON
	return i.result
}

// noDeadline stands for never where a time is expected.
const noDeadline = -1

// deadline returns when to call handleTimeout.
func (i *instance) deadline(handle int32) int64 {
	c, _ := i.call(handle, 0, 0, 0)
	if c == nil {
		return noDeadline
	}
	at, some := c.Deadline()
	if !some {
		return noDeadline
	}
	return nanos(at)
}

// nanos returns t as time travels here, in nanoseconds since 1970: from the
// years that int64 can't hold, the moment nearest to it.
func nanos(t time.Time) int64 {
	const last = 1<<63 - 1
	switch {
	case t.Before(time.Unix(0, 0)):
		return 0
	case t.After(time.Unix(0, last)):
		return last
	}
	return t.UnixNano()
}
