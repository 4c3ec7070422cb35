package main

import "github.com/terrarium-dev/terrarium/core"

// effect writes the header of x: all of it but Data.
func (e *encoder) effect(x *core.Effect) {
	e.Begin()
	e.Text("kind", x.Kind.String())
	e.Text("terminalId", string(x.ID))
	e.Text("sessionId", string(x.Session))
	switch x.Kind {
	case core.Resolve:
		e.Key("command")
		e.command(x.Command)
	case core.Ask, core.Start, core.Started:
		e.Key("exec")
		e.exec(x.Exec)
	case core.WriteInput:
		e.Int("dataLength", int64(len(x.Data)))
	case core.OutputChanged:
		e.Int("dataLength", int64(len(x.Data)))
		e.Int("lost", int64(x.Lost))
	case core.Resize:
		e.Int("rows", int64(x.Rows))
		e.Int("cols", int64(x.Cols))
	case core.Signal:
		e.Text("signal", x.Signal)
		e.Optional("reason", string(x.Reason))
	case core.Exited:
		e.Key("exit")
		e.exit(&x.Exit)
	case core.StartFailed:
		if x.Exec != nil {
			e.Key("exec")
			e.exec(x.Exec)
		}
		e.Key("error")
		e.Begin()
		e.Text("reason", startReason(x.Err))
		e.Text("message", x.Err.Error())
		e.End()
	}
	e.End()
}

// startReason is the stable word for why a command did not start.
func startReason(err error) string {
	switch err := err.(type) {
	case *core.HostError:
		return err.Reason
	case *core.DeniedError:
		return "denied"
	}
	switch err {
	case core.ErrKilled:
		return "killed"
	case core.ErrReleased:
		return "released"
	}
	return "start_failed"
}
