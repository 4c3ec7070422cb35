package acp

import (
	"errors"
	"io/fs"
	"strconv"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// terminalError says that a terminal id is no good.
type terminalError struct {
	id     string
	reason string // "unknown_terminal", "released" or "no_screen"
}

func unknownTerminal(id string) error { return &terminalError{id: id, reason: "unknown_terminal"} }

func (e *terminalError) Error() string { return "acp: " + e.reason + ": " + e.id }

// errInputEnded: nobody has killed the command. The peer's input has ended before it ran, and with
// that all terminals of the peer.
var errInputEnded = errors.New("acp: input ended")

// wireError says what the peer is told of err: the one place where Go errors
// become codes. Agents read the message, programs data.reason.
func wireError(err error) *jsonrpc.Error {
	var (
		param    *ParamError
		terminal *terminalError
		invalid  *core.InvalidError
		limit    *core.LimitError
		denied   *core.DeniedError
		host     *core.HostError
	)
	switch {
	case errors.As(err, &param):
		return invalidParams(param.Reason, paramMessage(param.Param, param.Reason)).With("param", param.Param)
	case errors.As(err, &invalid):
		message := paramMessage(invalid.Param, invalid.Reason)
		if invalid.Value != "" {
			message += ": " + clip(invalid.Value)
		}
		return invalidParams(invalid.Reason, message).With("param", invalid.Param)
	case errors.As(err, &terminal):
		message := "Unknown terminal"
		switch terminal.reason {
		case "released":
			message = "Terminal was released"
		case "no_screen":
			message = "Terminal has no screen"
		}
		return invalidParams(terminal.reason, message+": "+clip(terminal.id)).With("terminalId", clip(terminal.id))
	case errors.As(err, &limit):
		return internal("limit_"+limit.Limit, "Too many "+limit.Limit+": the limit is "+strconv.FormatInt(limit.Max, 10))
	case errors.As(err, &denied):
		message := "The command was denied"
		if denied.Reason != "" {
			message += ": " + clip(denied.Reason)
		}
		return internal("denied", message)
	case err == errInputEnded:
		return withMessage(jsonrpc.NewError(jsonrpc.CodeRequestCancelled, "input_ended"), "Input ended before the command started")
	case errors.Is(err, core.ErrKilled), errors.Is(err, core.ErrReleased):
		return withMessage(jsonrpc.NewError(jsonrpc.CodeRequestCancelled, "killed"), "The command was killed before it started")
	case errors.As(err, &host):
		return hostError(host.Reason, err)
	case errors.Is(err, fs.ErrNotExist):
		return hostError("not_found", err)
	case errors.Is(err, fs.ErrPermission):
		return hostError("permission_denied", err)
	case errors.Is(err, errors.ErrUnsupported):
		return hostError("unsupported", err)
	}
	return hostError("start_failed", err)
}

// hostError is what a host says of a command that did not start: bad
// parameters, where it is the command or its directory that is wrong.
func hostError(reason string, err error) *jsonrpc.Error {
	message := clipTo(err.Error(), 8<<10) // with a path or two in it
	switch reason {
	case "not_found", "permission_denied", "not_directory", "not_executable", "too_long":
		return invalidParams(reason, message)
	}
	return internal(reason, message)
}

func invalidParams(reason, message string) *jsonrpc.Error {
	return withMessage(jsonrpc.NewError(jsonrpc.CodeInvalidParams, reason), message)
}

func internal(reason, message string) *jsonrpc.Error {
	return withMessage(jsonrpc.NewError(jsonrpc.CodeInternalError, reason), message)
}

func withMessage(e *jsonrpc.Error, message string) *jsonrpc.Error {
	e.Message = message
	return e
}

// paramMessage says in words what is wrong with a parameter.
func paramMessage(param, reason string) string {
	if param == "" {
		param = "params"
	}
	switch reason {
	case "missing":
		return param + " is missing"
	case "type":
		return param + " has the wrong type"
	case "range", "out_of_range":
		return param + " is out of range"
	case "too_long":
		return param + " is too long"
	case "too_many":
		return param + " has too many of them"
	case "unsupported":
		return param + " asks for what this host can't give to one command"
	case "unknown_topic":
		return param + ": each of it is bytes, screen or status"
	case "lone_surrogate":
		return param + " has half of a surrogate pair, which no UTF-8 string can hold"
	case "empty":
		return param + " is empty"
	case "nul_byte":
		return param + " has a NUL byte"
	case "not_absolute":
		return param + " must be an absolute path"
	case "outside_session":
		return param + " is outside the directories of the session"
	case "root_directory":
		return param + " of the session is the root directory, and a sandbox that hands over all there is would be none: open the session in a directory below"
	case "empty_name":
		return param + " has a variable without a name"
	case "equals_in_name":
		return param + " has a variable with '=' in its name"
	}
	return param + ": " + reason
}
