package main

import (
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// decodeResolved reads what a Resolve effect is answered with: an Exec without
// its Command, or why there is none.
func decodeResolved(p []byte) (x core.Exec, refusal, err error) {
	var d decoder
	var e *core.HostError
	err = d.Decode(p, func(v jsonrpc.Value) {
		d.Object(v,
			abi.Of("error", func(v jsonrpc.Value) { e = d.hostError(v) }),
			abi.Of("path", &x.Path),
			abi.Of("argv", &x.Argv),
			abi.Of("via", (*string)(&x.Via)),
			abi.Of("sandbox", &x.Sandbox),
		)
	})
	if e != nil {
		refusal = e
	}
	return x, refusal, err
}

// decodeHostError reads why a host can't run a command.
func decodeHostError(p []byte) (e *core.HostError, err error) {
	var d decoder
	err = d.Decode(p, func(v jsonrpc.Value) { e = d.hostError(v) })
	return e, err
}

func (d *decoder) hostError(v jsonrpc.Value) *core.HostError {
	e := &core.HostError{Reason: "start_failed"}
	d.Object(v, abi.Of("reason", &e.Reason), abi.Of("message", &e.Message))
	return e
}

// decodeDecision reads what an Ask effect is answered with.
func decodeDecision(p []byte) (c core.Decision, err error) {
	var d decoder
	err = d.Decode(p, func(v jsonrpc.Value) {
		d.Object(v, abi.Of("allow", &c.Allow), abi.Of("reason", &c.Reason))
	})
	return c, err
}

func (e *encoder) exec(x *core.Exec) {
	e.Begin()
	e.Key("command")
	e.command(&x.Command)
	e.Text("path", x.Path)
	e.Texts("argv", x.Argv)
	e.Text("via", string(x.Via))
	if x.Sandbox != "" {
		e.Text("sandbox", x.Sandbox)
	}
	e.End()
}
