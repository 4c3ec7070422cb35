package main

import (
	"math"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A decoder reads what exports take, and an encoder writes what they return.
type (
	decoder struct{ abi.Decoder }
	encoder struct{ abi.Encoder }
)

// decodeCommand reads a core.Command. A member that is absent or null is its
// field's zero value, here as in all JSON.
func decodeCommand(p []byte) (c core.Command, err error) {
	var d decoder
	err = d.Decode(p, func(v jsonrpc.Value) { d.command(v, &c) })
	return c, err
}

func (d *decoder) command(v jsonrpc.Value, c *core.Command) {
	rendering, traceparent := "default", ""
	d.Object(v,
		abi.Of("command", &c.Command),
		abi.Of("args", &c.Args),
		abi.Of("env", func(v jsonrpc.Value) { d.Env(v, &c.Env) }),
		abi.Of("cwd", &c.Cwd),
		abi.Of("roots", &c.Roots),
		abi.Of("traceparent", &traceparent),
		abi.Of("pty", &c.Pty),
		abi.Of("oneStream", &c.OneStream),
		abi.Of("interactive", &c.Interactive),
		abi.Int("rows", &c.Rows, math.MinInt32, math.MaxInt32), // core knows the limits
		abi.Int("cols", &c.Cols, math.MinInt32, math.MaxInt32),
		abi.Of("rendering", &rendering),
		abi.Int("outputByteLimit", &c.OutputByteLimit, math.MinInt64, math.MaxInt64),
		abi.Int("timeoutNs", (*int64)(&c.Timeout), math.MinInt64, math.MaxInt64),
	)
	c.Traceparent = core.ParseTraceparent(traceparent)
	var known bool
	if c.Rendering, known = core.ParseRendering(rendering); !known {
		d.Wrong("rendering", "value")
	}
}

// command writes c as it was understood: defaults in place of zero values.
func (e *encoder) command(c *core.Command) {
	e.Begin()
	e.Text("command", c.Command)
	e.Texts("args", c.Args)
	e.Env("env", c.Env)
	e.Text("cwd", c.Cwd)
	e.Texts("roots", c.Roots)
	e.Text("traceparent", string(c.Traceparent))
	e.Bool("pty", c.Pty)
	e.Bool("oneStream", c.OneStream)
	e.Bool("interactive", c.Interactive)
	e.Int("rows", int64(c.Rows))
	e.Int("cols", int64(c.Cols))
	e.Text("rendering", c.Rendering.String())
	e.Int("outputByteLimit", c.OutputByteLimit)
	e.Int("timeoutNs", int64(c.Timeout))
	e.End()
}
