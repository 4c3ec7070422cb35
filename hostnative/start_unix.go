//go:build linux || darwin

package hostnative

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

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
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	leave := sync.OnceFunc(func() { <-h.starting })
	defer leave()
	defer time.AfterFunc(hangLimit, leave).Stop()

	started := spec{path: e.Path, argv: e.Argv}
	var sandboxed []core.EnvVariable
	b, err := h.bounds(e.Command.Bounds)
	if err != nil {
		return nil, err
	}
	if h.confiner != nil && b.level == SandboxOff {
		started.apart = true
	} else if h.confiner != nil {
		if started.rules, err = h.confiner.of(e.Command, b); err != nil {
			return nil, refuseRules(err)
		}
		if started.ward, err = h.keeping.enter(h.confiner, e.Command.Session, started.rules); err != nil {
			return nil, refuseRules(err)
		}
		defer h.keeping.leave(started.ward)
		sandboxed = append(started.rules.variables(), started.ward.variables()...)
		started.refused = new(refusals)
	}
	started.env = h.environs.of(e.Command, sandboxed...).list
	if e.Command.Cwd != "" {
		cwd, err := reopenCwd(e)
		if err != nil {
			return nil, err
		}
		defer cwd.close()
		started.cwd = &cwd
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

	begun := false
	if started.rules != nil {
		started.guarded = h.confiner.guard(ctx, started.rules, started.refused)
		defer func() {
			if !begun {
				started.guarded.end()
			}
		}()
	}
	started.files = io.child // their Fd makes them blocking, as commands expect
	// Without a controlling terminal /dev/tty can't be opened (ENXIO), where
	// ssh and sudo ask what nobody would answer. A leader without one gets the
	// first that it opens by name to read, which takes some will.
	started.ctty = e.Command.Pty && e.Command.Interactive
	c, err := h.keeping.start(ctx, started)
	runtime.KeepAlive(io)
	switch {
	case err == nil:
		begun = true
		return newProcess(c, io, started, h.limits), nil
	case ctx.Err() != nil:
		err = ctx.Err()
	default:
		if _, ours := err.(*fault); !ours {
			err = startFault(e.Path, e.Argv, started.env, err)
		}
		err = refuse(opExec, e.Path, err)
	}
	io.close()
	return nil, err
}
