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
//
// It starts in the directory that Resolve has seen, or not at all; on macOS
// one that is replaced while Start runs may escape that. The executable is
// what its path names by now.
func (h *Host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.Path == "" || len(e.Argv) == 0 {
		return nil, errors.New("hostnative: start: not an Exec from Resolve")
	}
	select {
	case h.starting <- struct{}{}:
		defer func() { <-h.starting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	attr := &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Setsid: true}}
	if e.Command.Cwd != "" {
		cwd, err := reopenCwd(e)
		if err != nil {
			return nil, err
		}
		defer cwd.close()
		attr.Dir = cwd.path
	}
	open := h.openPipes
	if e.Command.Pty {
		open = openPty
	}
	io, err := open(e.Command)
	if err != nil {
		return nil, err
	}
	defer io.closeChild()

	for _, f := range io.child {
		attr.Files = append(attr.Files, f.Fd()) // Fd makes it blocking, as commands expect
	}
	if e.Command.Pty && e.Command.Interactive {
		// Without a controlling terminal /dev/tty can't be opened (ENXIO), where
		// ssh and sudo ask what nobody would answer. A leader without one gets the
		// first that it opens by name to read, which takes some will.
		attr.Sys.Setctty = true
		attr.Sys.Ctty = 1
	}
	c, t, err := h.containment.start(e.Path, e.Argv, h.environs.of(e.Command), attr)
	runtime.KeepAlive(io)
	if err != nil {
		io.close()
		return nil, refuse(opExec, e.Path, startFault(e.Path, e.Argv, attr.Env, err))
	}
	return newProcess(c, t, io), nil
}
