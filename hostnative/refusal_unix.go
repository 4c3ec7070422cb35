//go:build linux || darwin

package hostnative

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// What a refusal is about: the Op of the *fs.PathError that it wraps.
const (
	opExec  = "exec"
	opCwd   = "cwd"
	opShell = "shell"
	opPty   = "pty"
	opPipe  = "pipe"
)

// refuse returns why no command can start: thing is the file, the directory or
// the device that is the matter, and err what is wrong with it. The text has
// each once; an *fs.PathError below it has the parts.
func refuse(op, thing string, err error) error {
	err = cause(err)
	text := thing + ": "
	switch {
	case op == opCwd && err == unix.ENOENT:
		text += "no such directory"
	case err == unix.ENOENT:
		text += "no such file"
	default:
		text += err.Error()
	}
	if op == opCwd || op == opShell {
		text += " (" + op + ")"
	}
	return &core.HostError{Reason: reason(err), Message: text, Err: &fs.PathError{Op: op, Path: thing, Err: err}}
}

// reason is the stable word for err.
func reason(err error) string {
	for _, known := range []struct {
		err    error
		reason string
	}{
		{fs.ErrNotExist, "not_found"},
		{fs.ErrPermission, "permission_denied"},
		{unix.ENOTDIR, "not_directory"},
		{unix.ENOEXEC, "not_executable"},
		{unix.E2BIG, "too_long"},
		{unix.ENAMETOOLONG, "too_long"},
		{unix.EMFILE, "no_resources"},
		{unix.ENFILE, "no_resources"},
		{unix.EAGAIN, "no_resources"},
		{unix.ENOMEM, "no_resources"},
		{unix.ENOSPC, "no_resources"},
	} {
		if errors.Is(err, known.err) {
			return known.reason
		}
	}
	return "start_failed"
}

// cause returns what is below an *fs.PathError or *os.SyscallError, to be told
// in other words.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err
	}
	return err
}

// A fault is what is wrong, in words of ours; errors.Is finds the system's.
type fault struct {
	text  string
	cause error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.cause }

var (
	errNotInPath     = &fault{"not found in PATH", fs.ErrNotExist}
	errDirectory     = &fault{"is a directory", fs.ErrPermission}
	errNotRegular    = &fault{"not a regular file", fs.ErrPermission}
	errNotExecutable = &fault{"permission denied: not executable", unix.EACCES}
	errNoProgram     = &fault{"neither a program for this machine nor a script that begins with #!", unix.ENOEXEC}
	errNoPtys        = &fault{"no more ptys", unix.ENOSPC}
	errNoProcesses   = &fault{"no more processes", unix.EAGAIN}
)

// startFault explains what execve(2) or fork(2) said of path.
func startFault(path string, argv, env []string, err error) error {
	switch {
	case errors.Is(err, unix.E2BIG):
		size := 0
		for _, s := range argv {
			size += len(s) + 1
		}
		for _, s := range env {
			size += len(s) + 1
		}
		return &fault{fmt.Sprintf("arguments and environment too long: %d bytes", size), err}
	case errors.Is(err, unix.ENOEXEC):
		return errNoProgram
	case errors.Is(err, unix.EAGAIN):
		return errNoProcesses
	case errors.Is(err, fs.ErrNotExist) && checkExecutable(path) == nil:
		return &fault{"interpreter not found" + interpreter(path), err}
	}
	return err
}

// interpreter returns what a script names on its first line, after ": ". A
// program names its loader elsewhere: then it is "".
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var begin [256]byte // as much as execve(2) looks at
	n, _ := f.Read(begin[:])
	line, _, _ := strings.Cut(string(begin[:n]), "\n")
	line, ok := strings.CutPrefix(line, "#!")
	if words := strings.Fields(line); ok && len(words) > 0 {
		return ": " + strings.ToValidUTF8(words[0], "\uFFFD")
	}
	return ""
}
