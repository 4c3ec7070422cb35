package main

import (
	"errors"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Statuses, as ABI.md lists them. What a number means never changes.
const (
	ok  int32 = 0
	yes int32 = 1 // issued; or output is truncated

	badHandle       int32 = -1
	badArgument     int32 = -2
	badJSON         int32 = -3
	invalid         int32 = -4
	unknownTerminal int32 = -5
	released        int32 = -6
	notRunning      int32 = -7
	inputClosed     int32 = -8
	inputFull       int32 = -9
	limit           int32 = -10
	unsupported     int32 = -11
	noACP           int32 = -12
	failed          int32 = -13
)

// Errors of calls that never reach a machine.
var (
	errBadHandle         = errors.New("reactor: no registry has this handle")
	errBadLength         = errors.New("reactor: a length is negative, or beyond what input was asked for")
	errBadTime           = errors.New("reactor: now is before 1970")
	errBadStream         = errors.New("reactor: stream is neither 1 nor 2")
	errNoACP             = errors.New("reactor: the registry was opened without acp")
	errTooManyRegistries = &core.LimitError{Limit: "registries", Max: maxRegistries}
)

// end returns the status of a call whose error is err, and makes its details
// the result.
func (i *instance) end(err error) int32 {
	if err == nil {
		return ok
	}
	return i.fail(err)
}

// fail is end for an error that is not nil.
func (i *instance) fail(err error) int32 {
	status, reason, param := explain(err)
	e := encoder{abi.Encoder{JSON: i.result[:0]}}
	e.Begin()
	e.Text("reason", reason)
	e.Text("message", err.Error())
	if param != "" {
		e.Text("param", param)
	}
	e.End()
	i.result = e.JSON
	return status
}

// explain returns what programs are told of err: its status, a stable word,
// and the parameter that is wrong, if it is one.
func explain(err error) (status int32, reason, param string) {
	switch err := err.(type) {
	case *jsonrpc.SyntaxError:
		return badJSON, err.Reason, ""
	case *abi.Error:
		return badJSON, err.Reason, err.Param
	case *core.InvalidError:
		return invalid, err.Reason, err.Param
	case *core.LimitError:
		return limit, "limit_" + err.Limit, ""
	}
	switch err {
	case errBadHandle:
		return badHandle, "bad_handle", ""
	case errBadLength:
		return badArgument, "length", ""
	case errBadTime:
		return badArgument, "range", "now"
	case errBadStream:
		return badArgument, "range", "stream"
	case errNoACP:
		return noACP, "no_acp", ""
	case core.ErrUnknownTerminal:
		return unknownTerminal, "unknown_terminal", ""
	case core.ErrReleased:
		return released, "released", ""
	case core.ErrNotRunning:
		return notRunning, "not_running", ""
	case core.ErrInputClosed:
		return inputClosed, "input_closed", ""
	case core.ErrInputFull:
		return inputFull, "input_full", ""
	case errors.ErrUnsupported:
		return unsupported, "unsupported", ""
	}
	return failed, "failed", ""
}
