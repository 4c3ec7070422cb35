package main

import (
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// decodeResolved reads what a Resolve effect is answered with: an Exec without
// its Command, or why there is none.
func decodeResolved(p []byte) (x core.Exec, refusal, err error) {
	var d decoder
	var e *core.HostError
	err = d.decode(p, func(v jsonrpc.Value) {
		d.object(v,
			member{name: "error", into: func(v jsonrpc.Value) { e = d.hostError(v) }},
			member{name: "path", into: &x.Path},
			member{name: "argv", into: &x.Argv},
			member{name: "via", into: (*string)(&x.Via)},
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
	err = d.decode(p, func(v jsonrpc.Value) { e = d.hostError(v) })
	return e, err
}

func (d *decoder) hostError(v jsonrpc.Value) *core.HostError {
	e := &core.HostError{Reason: "start_failed"}
	d.object(v, member{name: "reason", into: &e.Reason}, member{name: "message", into: &e.Message})
	return e
}

// decodeDecision reads what an Ask effect is answered with.
func decodeDecision(p []byte) (c core.Decision, err error) {
	var d decoder
	err = d.decode(p, func(v jsonrpc.Value) {
		d.object(v, member{name: "allow", into: &c.Allow}, member{name: "reason", into: &c.Reason})
	})
	return c, err
}

func (e *encoder) exec(x *core.Exec) {
	e.begin()
	e.key("command")
	e.command(&x.Command)
	e.text("path", x.Path)
	e.texts("argv", x.Argv)
	e.text("via", string(x.Via))
	e.end()
}
