package harness

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// The size of terminus-2's terminal, in cells.
const (
	DefaultRows = 40  // where the Rows of the shell are 0
	DefaultCols = 160 // where the Cols of the shell are 0
)

// defaultKept is how much of what has scrolled out is kept, in bytes: more than
// an agent is ever shown, so that what is new is known whole after a flood.
const defaultKept = 16 << 20

// create starts the shell: bash as terminus-2 does, or sh where there is none.
func (r *run) create(ctx context.Context) (err error) {
	c := shell(r.config.Shell)
	if c.Command != "" {
		r.term, err = r.driver.Create(ctx, "", c)
		return err
	}
	c.Command, c.Args = "bash", []string{"--login"}
	r.term, err = r.driver.Create(ctx, "", c)
	if refused, ok := errors.AsType[*core.HostError](err); ok && refused.Reason == "not_found" {
		c.Command, c.Args = "sh", []string{"-i"}
		r.term, err = r.driver.Create(ctx, "", c)
	}
	return err
}

// shell returns c as a shell that an agent types at.
func shell(c core.Command) core.Command {
	if c.Rows == 0 {
		c.Rows = DefaultRows
	}
	if c.Cols == 0 {
		c.Cols = DefaultCols
	}
	if c.OutputByteLimit == 0 {
		c.OutputByteLimit = defaultKept
	}
	c.Pty, c.Interactive, c.Screen, c.Rendering = true, true, true, core.RenderRaw
	return c
}

// hangUpGrace is how long what an idle shell has left in the background may take
// to end on SIGTERM.
const hangUpGrace = 100 * time.Millisecond

// hangUp ends the shell. One that is at its prompt ignores SIGTERM, and there
// is nothing that it needs the time for.
func (r *run) hangUp() {
	t := r.host.tty()
	idle := t != nil && t.Foreground()
	if r.term.Kill() != nil || !idle {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), hangUpGrace)
	defer cancel()
	if _, err := r.term.Wait(ctx); err != nil {
		r.term.KillNow()
	}
}

// A tty is a driver.Process that can tell what goes on at its terminal.
// hostnative's can. Where a Host's can't, newlines are typed as they are, and
// no wait ends early but by a shell's own marks.
type tty interface {
	// Raw reports whether carriage return reaches the program as it is.
	Raw() bool
	// Foreground reports whether the shell itself has the terminal, rather
	// than a job of its.
	Foreground() bool
	// Reading reports whether the shell is blocked until somebody types, and
	// whether that is known at all.
	Reading() (reading, known bool)
}

// A waker is a tty that counts. hostnative's is one on Linux.
type waker interface {
	// Woken returns how often the shell has begun to wait for anything, such as somebody to type,
	// and whether that is known.
	Woken() (times uint64, known bool)
}

// A keeper is a Host that remembers the process it has started.
type keeper struct {
	driver.Host
	process atomic.Pointer[tty] // the last that can tell something
}

// Start implements driver.Host.
func (k *keeper) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	p, err := k.Host.Start(ctx, e)
	if t, ok := p.(tty); ok && err == nil {
		k.process.Store(&t)
	}
	return p, err
}

// tty returns the process, or nil if it can't tell anything.
func (k *keeper) tty() tty {
	if t := k.process.Load(); t != nil {
		return *t
	}
	return nil
}

// woken is waker's Woken; a process that is none does not know.
func (k *keeper) woken() (times uint64, known bool) {
	if w, ok := k.tty().(waker); ok {
		return w.Woken()
	}
	return 0, false
}

// hasPending reports whether the process has printed what was not read yet.
func (k *keeper) hasPending() bool {
	p, ok := k.tty().(driver.Pender)
	return ok && p.OutputPending() > 0
}
