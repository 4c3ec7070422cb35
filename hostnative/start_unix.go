//go:build linux || darwin

package hostnative

import (
	"context"
	"errors"
	"runtime"
	"syscall"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// Start starts the process of e as the leader of a new session. The error is
// a *core.HostError, as Resolve's; it may also be about a "pty" or a "pipe".
// What the system said is below it: unix.EACCES, unix.ENOEXEC, unix.E2BIG.
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
		return nil, refuse(opExec, e.Path, startFault(e.Path, e.Argv, attr.Env, err))
	}
	return newProcess(c, t, io), nil
}
