package hostwasm

import (
	"errors"
	"io/fs"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// What a refusal is about: the Op of the *fs.PathError that it wraps, as
// hostnative has them.
const (
	opExec = "exec"
	opCwd  = "cwd"
)

// refuse returns why no command can start: thing is the command or the
// directory that is the matter, and err what is wrong with it.
func refuse(op, thing string, err error) error {
	if refused, ok := errors.AsType[*core.HostError](err); ok {
		return refused
	}
	reason, cause := explain(op, err)
	text := printable(thing) + ": " + cause.Error()
	if op == opCwd {
		text += " (cwd)"
	}
	return &core.HostError{Reason: reason, Message: text, Err: &fs.PathError{Op: op, Path: thing, Err: cause}}
}

// A fault is what is wrong, in words of ours; errors.Is finds what it stands for.
type fault struct {
	text  string
	cause error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.cause }

var (
	errNoCommand = &fault{"command not found", fs.ErrNotExist}
	errNoFile    = &fault{"no such file in the sandbox", fs.ErrNotExist}
	errNoDir     = &fault{"no such directory in the sandbox", fs.ErrNotExist}
	errDirectory = &fault{"is a directory", fs.ErrPermission}
	errNotDir    = &fault{"not a directory", errno.NOTDIR}
	errNoModule  = &fault{"not a WebAssembly module", errno.NOEXEC}
	errTooLong   = &fault{"arguments and environment too long", errno.TOOBIG}
	errTooMany   = &fault{"too many processes", errno.AGAIN}
	errNoRoom    = &fault{"no room for another process", errno.AGAIN}
	errNoMemory  = &fault{"no memory left to start it", errno.NOMEM}
)

// explain returns the stable word for err, and err in words.
func explain(op string, err error) (reason string, cause error) {
	limit, limited := errors.AsType[*wasi.Limit](err)
	switch {
	case errors.Is(err, errno.NOENT) && op == opCwd:
		return "not_found", errNoDir
	case errors.Is(err, errno.NOENT):
		return "not_found", errNoFile
	case errors.Is(err, fs.ErrNotExist):
		return "not_found", err
	case errors.Is(err, errno.NOTDIR):
		return "not_directory", errNotDir
	case errors.Is(err, errno.NOEXEC):
		return "not_executable", err
	case errors.Is(err, errno.NOMEM):
		return "no_resources", errNoMemory
	case errors.Is(err, errno.TOOBIG):
		return "too_long", errTooLong
	case errors.Is(err, errno.ACCES), errors.Is(err, errno.PERM):
		return "permission_denied", fs.ErrPermission
	case errors.Is(err, fs.ErrPermission):
		return "permission_denied", err
	case errors.Is(err, engine.ErrTooMany):
		return "no_resources", errNoRoom
	case limited && limit.Reason == core.ReasonProcesses:
		return "no_resources", errTooMany
	}
	return "start_failed", err
}
