package main

import (
	"math"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// decodeExit reads a core.Exit. Its status has the form that ACP gives it: one
// of exitCode and signal is null; if both are, the host lost track.
func decodeExit(p []byte) (x core.Exit, err error) {
	const none = -1
	var d decoder
	code := int64(none)
	err = d.decode(p, func(v jsonrpc.Value) {
		d.object(v,
			member{"exitCode", &code, 0, math.MaxUint32},
			member{name: "signal", into: &x.Status.Signal},
			member{name: "reason", into: (*string)(&x.Reason)},
			member{name: "usage", into: func(v jsonrpc.Value) { d.usage(v, &x.Usage) }},
		)
		if code != none && x.Status.Signal != "" {
			d.wrong("signal", "value")
		}
	})
	x.Status.Unknown = code == none && x.Status.Signal == ""
	x.Status.ExitCode = uint32(max(code, 0))
	return x, err
}

func (d *decoder) usage(v jsonrpc.Value, u *core.Usage) {
	var fuel int64
	d.object(v,
		member{"userTimeNs", (*int64)(&u.UserTime), 0, math.MaxInt64},
		member{"systemTimeNs", (*int64)(&u.SystemTime), 0, math.MaxInt64},
		member{"maxRss", &u.MaxRSS, 0, math.MaxInt64},
		member{"fuel", &fuel, 0, math.MaxInt64},
	)
	u.Fuel = uint64(fuel)
}

func (e *encoder) exit(x *core.Exit) {
	e.begin()
	if x.Status.Unknown || x.Status.Signal != "" {
		e.null("exitCode")
	} else {
		e.int("exitCode", int64(x.Status.ExitCode))
	}
	e.optional("signal", x.Status.Signal)
	e.optional("reason", string(x.Reason))
	e.key("usage")
	e.begin()
	e.int("userTimeNs", int64(x.Usage.UserTime))
	e.int("systemTimeNs", int64(x.Usage.SystemTime))
	e.int("maxRss", x.Usage.MaxRSS)
	e.int("fuel", int64(x.Usage.Fuel))
	e.end()
	e.end()
}
