package main

import (
	"math"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// decodeExit reads a core.Exit. Its status has the form that ACP gives it: one
// of exitCode and signal is null; if both are, the host lost track.
func decodeExit(p []byte) (x core.Exit, err error) {
	const none = -1
	var d decoder
	code := int64(none)
	err = d.Decode(p, func(v jsonrpc.Value) {
		d.Object(v,
			abi.Int("exitCode", &code, 0, math.MaxUint32),
			abi.Of("signal", &x.Status.Signal),
			abi.Of("reason", (*string)(&x.Reason)),
			abi.Of("usage", func(v jsonrpc.Value) { d.usage(v, &x.Usage) }),
		)
		if code != none && x.Status.Signal != "" {
			d.Wrong("signal", "value")
		}
	})
	x.Status.Unknown = code == none && x.Status.Signal == ""
	x.Status.ExitCode = uint32(max(code, 0))
	return x, err
}

func (d *decoder) usage(v jsonrpc.Value, u *core.Usage) {
	var fuel int64
	d.Object(v,
		abi.Int("userTimeNs", (*int64)(&u.UserTime), 0, math.MaxInt64),
		abi.Int("systemTimeNs", (*int64)(&u.SystemTime), 0, math.MaxInt64),
		abi.Int("maxRss", &u.MaxRSS, 0, math.MaxInt64),
		abi.Int("fuel", &fuel, 0, math.MaxInt64),
	)
	u.Fuel = uint64(fuel)
}

func (e *encoder) exit(x *core.Exit) {
	e.Begin()
	if x.Status.Unknown || x.Status.Signal != "" {
		e.Null("exitCode")
	} else {
		e.Int("exitCode", int64(x.Status.ExitCode))
	}
	e.Optional("signal", x.Status.Signal)
	e.Optional("reason", string(x.Reason))
	e.Key("usage")
	e.Begin()
	e.Int("userTimeNs", int64(x.Usage.UserTime))
	e.Int("systemTimeNs", int64(x.Usage.SystemTime))
	e.Int("maxRss", x.Usage.MaxRSS)
	e.Int("fuel", int64(x.Usage.Fuel))
	e.End()
	e.End()
}
