//go:build linux || darwin

package hostnative

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// Start starts the process of e as the leader of a new session. The error
// wraps an *fs.PathError that names the executable or the directory and tells
// what the system said: unix.EACCES, unix.ENOEXEC, unix.E2BIG.
func (h *Host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.Path == "" || len(e.Argv) == 0 {
		return nil, errors.New("hostnative: start: not an Exec from Resolve")
	}
	// Policy may have taken its time: the directory can have gone since Resolve.
	if e.Command.Cwd != "" {
		if err := checkCwd(e.Command.Cwd); err != nil {
			return nil, err
		}
	}
	select {
	case h.starting <- struct{}{}:
		defer func() { <-h.starting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	open := openPipes
	if e.Command.Pty {
		open = openPty
	}
	io, err := open(e.Command)
	if err != nil {
		return nil, err
	}
	defer io.closeChild()

	attr := &syscall.ProcAttr{
		Dir: e.Command.Cwd,
		Sys: &syscall.SysProcAttr{Setsid: true},
	}
	for _, f := range io.child {
		attr.Files = append(attr.Files, f.Fd()) // Fd makes it blocking, as commands expect
	}
	if e.Command.Pty {
		attr.Sys.Setctty = true
		attr.Sys.Ctty = 1 // the child's standard output: its input may be /dev/null
	}
	c, t, err := h.containment.start(e.Path, e.Argv, environment(h.env, e.Command), attr)
	runtime.KeepAlive(io)
	if err != nil {
		io.close()
		return nil, startError(e, attr.Env, err)
	}
	return newProcess(c, t, io), nil
}

// startError explains what execve(2) or fork(2) said.
func startError(e core.Exec, env []string, err error) error {
	switch {
	case errors.Is(err, unix.E2BIG):
		size := 0
		for _, s := range e.Argv {
			size += len(s) + 1
		}
		for _, s := range env {
			size += len(s) + 1
		}
		err = fmt.Errorf("arguments and environment of %d bytes: %w", size, err)
	case errors.Is(err, unix.ENOEXEC):
		err = fmt.Errorf("neither a program for this machine nor a script that begins with #!: %w", err)
	case errors.Is(err, fs.ErrNotExist) && checkExecutable(e.Path) == nil:
		err = fmt.Errorf("the interpreter it names: %w", err)
	}
	return fmt.Errorf("hostnative: %w", &fs.PathError{Op: "exec", Path: e.Path, Err: err})
}
