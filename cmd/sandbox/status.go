package main

import (
	"errors"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// Statuses, as ABI.md lists them. What a number means never changes.
const (
	ok    int32 = 0
	more  int32 = 1 // output is truncated, or more is left to take
	lost  int32 = 2 // some of it is: begin anew
	waits int32 = 3 // for a provider: file_result has the rest

	badTime     int32 = -1
	badArgument int32 = -2
	badJSON     int32 = -3
	invalid     int32 = -4
	unknown     int32 = -5
	released    int32 = -6
	notRunning  int32 = -7
	inputClosed int32 = -8
	full        int32 = -9
	limit       int32 = -10
	badFile     int32 = -11
	failed      int32 = -13
)

// A refusal is why a call is refused, in the words of ABI.md.
type refusal struct {
	status  int32
	reason  string
	message string
	param   string
}

func (r *refusal) Error() string { return "sandbox: " + r.message }

var (
	errNotConfigured  = &refusal{badTime, "not_configured", "configure has not been called", ""}
	errConfigured     = &refusal{badTime, "configured", "configure was called before", ""}
	errClosed         = &refusal{badTime, "closed", "the sandbox was closed", ""}
	errBadLength      = &refusal{badArgument, "length", "a length is negative, or beyond what input was asked for", ""}
	errUnknownWatch   = &refusal{unknown, "unknown_watch", "there is no such watch", ""}
	errUnknownPeer    = &refusal{unknown, "unknown_peer", "there is no such peer", ""}
	errUnknownRequest = &refusal{unknown, "unknown_request", "nobody waits for this answer", ""}
	errPeerFull       = &refusal{full, "peer_full", "too many lines wait to be taken", ""}
	errTooManyWatches = &refusal{limit, "limit_watches", "too many watches", ""}
	errTooManyPeers   = &refusal{limit, "limit_peers", "too many peers", ""}
	errTooManyCalls   = &refusal{limit, "limit_files", "too many calls wait for files", ""}
)

// badPath is what the page is told that does not use a clean path.
func badPath(name string) error {
	return &refusal{badFile, "invalid_path", shown(name) + ": a path begins with / and has no empty name, . or .. in it", ""}
}

// shown is as much of a path as goes into a message: more than maxPath is none of ours.
func shown(name string) string {
	if len(name) > maxPath {
		return name[:maxPath] + "…"
	}
	return name
}

// A fileError is what is wrong with a file, and which.
type fileError struct {
	name string
	err  error
}

func (e *fileError) Error() string {
	why := e.err.Error()
	if number, ok := e.err.(errno.Errno); ok && fileReasons[number] != "" {
		why = strings.ReplaceAll(fileReasons[number], "_", " ") + " (" + why + ")"
	}
	return shown(e.name) + ": " + why
}

func (e *fileError) Unwrap() error { return e.err }

func outOfRange(param string) error {
	return &refusal{badArgument, "range", param + " is out of range", param}
}

// fileReasons are the words for what is wrong with a file.
var fileReasons = map[errno.Errno]string{
	errno.NOENT: "file_not_found", errno.EXIST: "file_exists", errno.NOTDIR: "not_a_directory",
	errno.ISDIR: "is_a_directory", errno.NOTEMPTY: "not_empty", errno.NOSPC: "no_space",
	errno.DQUOT: "no_space", errno.FBIG: "no_space", errno.ACCES: "no_permission",
	errno.PERM: "no_permission", errno.ROFS: "no_permission", errno.INVAL: "invalid_path",
	errno.NAMETOOLONG: "invalid_path", errno.ILSEQ: "invalid_path", errno.LOOP: "invalid_path",
	errno.BUSY: "no_permission", errno.XDEV: "no_permission", errno.AGAIN: "unavailable",
	errno.TIMEDOUT: "timeout", errno.NOMEM: "no_space", errno.OVERFLOW: "no_space",
}

// explain returns what programs are told of err: its status, a stable word, and
// the parameter that is wrong, if it is one.
func explain(err error) (status int32, reason, param string) {
	switch err := err.(type) {
	case *fileError:
		return explain(err.err)
	case *refusal:
		return err.status, err.reason, err.param
	case *jsonrpc.SyntaxError:
		return badJSON, err.Reason, ""
	case *abi.Error:
		return badJSON, err.Reason, err.Param
	case *core.InvalidError:
		return invalid, err.Reason, err.Param
	case *core.LimitError:
		return limit, "limit_" + err.Limit, ""
	case errno.Errno:
		if reason := fileReasons[err]; reason != "" {
			return badFile, reason, ""
		}
		return failed, "failed", ""
	}
	switch {
	case errors.Is(err, core.ErrUnknownTerminal):
		return unknown, "unknown_terminal", ""
	case errors.Is(err, core.ErrReleased):
		return released, "released", ""
	case errors.Is(err, core.ErrNotRunning):
		return notRunning, "not_running", ""
	case errors.Is(err, core.ErrInputClosed):
		return inputClosed, "input_closed", ""
	case errors.Is(err, core.ErrInputFull):
		return full, "input_full", ""
	}
	return failed, "failed", ""
}

// startFailure is explain for a command that does not run.
func startFailure(err error) (reason string) {
	if host, ok := errors.AsType[*core.HostError](err); ok {
		return host.Reason
	}
	if _, ok := errors.AsType[*core.DeniedError](err); ok {
		return "denied"
	}
	switch {
	case errors.Is(err, core.ErrKilled):
		return "killed"
	case errors.Is(err, core.ErrReleased):
		return "released"
	}
	return "start_failed"
}
