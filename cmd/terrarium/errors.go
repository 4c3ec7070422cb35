package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
)

// Exit statuses that are not a command's own, as in POSIX's sh, and env(1) and
// timeout(1) of coreutils.
const (
	statusFailed        = 1
	statusUsage         = 2
	statusTimeout       = 124
	statusOurs          = 125 // run itself has failed
	statusNotExecutable = 126
	statusNotFound      = 127
	statusSignal        = 128 // and the signal's number
)

// exitStatus is an error about which all has been said.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// A usageError is a command line that makes no sense.
type usageError struct {
	line string // how it should look
	err  error
}

func (e *usageError) Error() string { return e.err.Error() }

// A failure is an error with an exit status of its own.
type failure struct {
	status int
	err    error
}

func (e *failure) Error() string { return e.err.Error() }
func (e *failure) Unwrap() error { return e.err }

// report says on w what went wrong and returns the status to exit with.
func report(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	if status, ok := errors.AsType[exitStatus](err); ok {
		if failed, ok := errors.AsType[*failure](err); ok {
			return failed.status
		}
		return int(status)
	}
	if errors.Is(err, syscall.EPIPE) {
		return statusSignal + int(syscall.SIGPIPE) // nobody listens, as shells say
	}
	warn(w, err)
	if usage, ok := errors.AsType[*usageError](err); ok {
		if failed, ok := errors.AsType[*failure](usage.err); ok {
			return failed.status // nothing is wrong with how we were called
		}
		fmt.Fprintln(w, "usage:", usage.line)
		return statusUsage
	}
	if failed, ok := errors.AsType[*failure](err); ok {
		return failed.status
	}
	return statusFailed
}

// warn says err on w in one line, also where that is a terminal that is raw.
func warn(w io.Writer, err error) {
	end := "\n"
	if f, ok := w.(*os.File); ok {
		end = lineEnd(f)
	}
	fmt.Fprint(w, "terrarium: "+message(err)+end)
}

// message is err as a person wants to read it: in one line that does nothing to
// their terminal, and without the names of packages.
func message(err error) string {
	text := printable.Text(err.Error())
	for _, pkg := range []string{"core: ", "driver: ", "hostnative: ", "acpconn: ", "harness: ", "audit: ", "remote: "} {
		text = strings.TrimPrefix(text, pkg)
	}
	return text
}

// startFailure gives the reason why a command did not start its status.
func startFailure(err error) *failure { return &failure{startStatus(err), err} }

func startStatus(err error) int {
	if _, ok := errors.AsType[*core.InvalidError](err); ok {
		return statusUsage
	}
	if _, ok := errors.AsType[*core.DeniedError](err); ok {
		return statusNotExecutable
	}
	path, ok := errors.AsType[*fs.PathError](err)
	host, refused := errors.AsType[*core.HostError](err)
	switch {
	case refused && host.Reason == "timeout":
		return statusTimeout
	case !ok || !refused || path.Op != "exec" && path.Op != "shell" || host.Reason == "no_resources":
		return statusOurs
	case host.Reason == "not_found", host.Reason == reasonNoBox, host.Reason == reasonNoGit:
		return statusNotFound
	}
	return statusNotExecutable
}
