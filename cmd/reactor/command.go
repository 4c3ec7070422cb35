package main

import (
	"math"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// decodeCommand reads a core.Command. A member that is absent or null is its
// field's zero value, here as in all JSON.
func decodeCommand(p []byte) (c core.Command, err error) {
	var d decoder
	err = d.decode(p, func(v jsonrpc.Value) { d.command(v, &c) })
	return c, err
}

func (d *decoder) command(v jsonrpc.Value, c *core.Command) {
	rendering := "default"
	d.object(v,
		member{name: "command", into: &c.Command},
		member{name: "args", into: &c.Args},
		member{name: "env", into: func(v jsonrpc.Value) { d.env(v, &c.Env) }},
		member{name: "cwd", into: &c.Cwd},
		member{name: "roots", into: &c.Roots},
		member{name: "pty", into: &c.Pty},
		member{name: "oneStream", into: &c.OneStream},
		member{name: "interactive", into: &c.Interactive},
		member{"rows", &c.Rows, math.MinInt32, math.MaxInt32}, // core knows the limits
		member{"cols", &c.Cols, math.MinInt32, math.MaxInt32},
		member{name: "rendering", into: &rendering},
		member{"outputByteLimit", &c.OutputByteLimit, math.MinInt64, math.MaxInt64},
		member{"timeoutNs", (*int64)(&c.Timeout), math.MinInt64, math.MaxInt64},
	)
	var known bool
	if c.Rendering, known = core.ParseRendering(rendering); !known {
		d.wrong("rendering", "value")
	}
}

func (d *decoder) env(v jsonrpc.Value, env *[]core.EnvVariable) {
	d.list(v, func(v jsonrpc.Value) {
		var e core.EnvVariable
		d.object(v, member{name: "name", into: &e.Name}, member{name: "value", into: &e.Value})
		*env = append(*env, e)
	})
}

// command writes c as it was understood: defaults in place of zero values.
func (e *encoder) command(c *core.Command) {
	e.begin()
	e.text("command", c.Command)
	e.texts("args", c.Args)
	e.key("env")
	e.p = append(e.p, '[')
	for i := range c.Env {
		e.p = jsonrpc.AppendComma(e.p)
		e.begin()
		e.text("name", c.Env[i].Name)
		e.text("value", c.Env[i].Value)
		e.end()
	}
	e.p = append(e.p, ']')
	e.text("cwd", c.Cwd)
	e.texts("roots", c.Roots)
	e.bool("pty", c.Pty)
	e.bool("oneStream", c.OneStream)
	e.bool("interactive", c.Interactive)
	e.int("rows", int64(c.Rows))
	e.int("cols", int64(c.Cols))
	e.text("rendering", c.Rendering.String())
	e.int("outputByteLimit", c.OutputByteLimit)
	e.int("timeoutNs", int64(c.Timeout))
	e.end()
}
