package main

import "github.com/terrarium-dev/terrarium/core"

// effect writes the header of x: all of it but Data.
func (e *encoder) effect(x *core.Effect) {
	e.begin()
	e.text("kind", x.Kind.String())
	e.text("terminalId", string(x.ID))
	e.text("sessionId", string(x.Session))
	switch x.Kind {
	case core.Resolve:
		e.key("command")
		e.command(x.Command)
	case core.Ask, core.Start, core.Started:
		e.key("exec")
		e.exec(x.Exec)
	case core.WriteInput:
		e.int("dataLength", int64(len(x.Data)))
	case core.OutputChanged:
		e.int("dataLength", int64(len(x.Data)))
		e.int("lost", int64(x.Lost))
	case core.Resize:
		e.int("rows", int64(x.Rows))
		e.int("cols", int64(x.Cols))
	case core.Signal:
		e.text("signal", x.Signal)
	case core.Exited:
		e.key("exit")
		e.exit(&x.Exit)
	case core.StartFailed:
		e.key("error")
		e.begin()
		e.text("reason", startReason(x.Err))
		e.text("message", x.Err.Error())
		e.end()
	}
	e.end()
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
