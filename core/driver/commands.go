package driver

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// Create starts a command and returns its terminal's id as soon as it runs. If
// ctx ends before, nothing runs. Errors are those of core.Registry.Create and
// of the Host, a *core.DeniedError, or ErrClosed.
func (d *Driver) Create(ctx context.Context, s core.SessionID, c core.Command) (core.TerminalID, error) {
	var t *terminal
	id, err := d.begin(s, c, &t)
	if err != nil {
		return "", err
	}
	select {
	case <-t.settled:
	case <-ctx.Done():
		d.Release(id)
		<-t.settled // by Started, if it came at the last moment
		return "", ctx.Err()
	}
	if t.err != nil {
		return "", t.err
	}
	return id, nil
}

// Begin is Create for those who wait for Started or StartFailed among the
// news. The id is returned before either is told.
func (d *Driver) Begin(s core.SessionID, c core.Command) (core.TerminalID, error) {
	return d.begin(s, c, new(*terminal))
}

func (d *Driver) begin(s core.SessionID, c core.Command, t **terminal) (id core.TerminalID, err error) {
	d.do(func(now time.Time) {
		if d.closed {
			err = ErrClosed
			return
		}
		if id, err = d.registry.Create(now, s, c); err == nil {
			d.drain()
			*t = d.terminals[id]
		}
	})
	if err != nil && err != ErrClosed && d.config.OnRefused != nil {
		d.config.OnRefused(s, &c, err)
	}
	return id, err
}

// WaitForExit waits until the command has ended and its output was read, or
// ctx ends. It also works for a released terminal, and who waits already is told
// the exit whatever becomes of the terminal.
func (d *Driver) WaitForExit(ctx context.Context, id core.TerminalID) (core.Exit, error) {
	t, err := d.started(ctx, id)
	if err != nil {
		return core.Exit{}, err
	}
	select {
	case <-t.exit:
	case <-ctx.Done():
		return core.Exit{}, ctx.Err()
	}
	// Not from the registry: a session may be closed, or its output evicted,
	// before this goroutine gets its turn, and then that knows nothing any more.
	return t.ended, nil
}

// started returns a terminal whose command has started, so that an exit is to come, or why it has not.
func (d *Driver) started(ctx context.Context, id core.TerminalID) (*terminal, error) {
	d.mu.Lock()
	t := d.terminals[id]
	d.mu.Unlock()
	if t == nil {
		return nil, core.ErrUnknownTerminal
	}
	select {
	case <-t.settled:
		return t, t.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write is core.Registry.Write, as the methods below are the Registry's: p is
// queued, and the command takes it when it reads.
func (d *Driver) Write(id core.TerminalID, p []byte) (err error) {
	d.do(func(now time.Time) { err = d.registry.Write(now, id, p) })
	return err
}

// Flush waits until the command has taken all that was written before, or ctx
// ends. Who writes a lot calls it in between, lest ErrInputFull come. The error
// of a command that reads no more is the Host's.
func (d *Driver) Flush(ctx context.Context, id core.TerminalID) error {
	d.mu.Lock()
	t := d.terminals[id]
	if t == nil || d.closed {
		d.mu.Unlock()
		return core.ErrUnknownTerminal
	}
	taken := make(chan struct{})
	d.enqueue(&t.input, func() { close(taken) })
	d.mu.Unlock()
	select {
	case <-taken:
	case <-ctx.Done():
		return ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return t.inputErr
}

// CloseInput ends the command's standard input after what was written.
func (d *Driver) CloseInput(id core.TerminalID) (err error) {
	d.do(func(now time.Time) { err = d.registry.CloseInput(now, id) })
	return err
}

// Resize gives a running command's terminal a new size, in cells.
func (d *Driver) Resize(id core.TerminalID, rows, cols int) (err error) {
	d.do(func(now time.Time) { err = d.registry.Resize(now, id, rows, cols) })
	return err
}

// Kill ends the command: SIGTERM now, SIGKILL after Core.KillGrace.
func (d *Driver) Kill(id core.TerminalID) (err error) {
	d.do(func(now time.Time) { err = d.registry.Kill(now, id) })
	return err
}

// KillNow is Kill without the grace, or with no more of it.
func (d *Driver) KillNow(id core.TerminalID) (err error) {
	d.do(func(now time.Time) { err = d.registry.KillNow(now, id) })
	return err
}

// Release kills what still runs and frees the terminal, in the background.
func (d *Driver) Release(id core.TerminalID) (err error) {
	d.do(func(now time.Time) { err = d.registry.Release(now, id) })
	return err
}

// CloseSession releases every terminal of a session and forgets its output.
func (d *Driver) CloseSession(s core.SessionID) (err error) {
	d.do(func(now time.Time) {
		err = d.registry.CloseSession(now, s)
		d.forget()
	})
	return err
}

// CloseAll closes every session. Unlike Close it does not wait, and new
// terminals may be created.
func (d *Driver) CloseAll() {
	d.do(func(now time.Time) {
		d.registry.CloseAll(now)
		d.forget()
	})
}

// Issued reports whether id was ever returned for session s.
func (d *Driver) Issued(s core.SessionID, id core.TerminalID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.registry.Issued(s, id)
}

// Terminals returns the ids of all terminals, in no particular order: those
// that are starting, those that run, and those whose output is kept.
func (d *Driver) Terminals() []core.TerminalID {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Keys(d.terminals))
}

// Status returns what is known of a terminal besides its output.
func (d *Driver) Status(id core.TerminalID) (core.Status, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.registry.Status(id)
}

// AppendOutput appends a terminal's output to dst, as core.Terminal does. It
// also works for a released terminal whose output is kept.
func (d *Driver) AppendOutput(dst []byte, id core.TerminalID) (out []byte, truncated bool) {
	d.mu.Lock()
	t := d.terminals[id]
	d.mu.Unlock()
	if t == nil {
		return dst, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.output.AppendOutput(dst)
}

// Look calls look with the output half of a terminal, of a released one too whose
// output is kept. It must not be changed, nor used after look has returned. The
// command's output waits for look. It reports whether there is such a terminal.
func (d *Driver) Look(id core.TerminalID, look func(t *core.Terminal)) bool {
	d.mu.Lock()
	t := d.terminals[id]
	d.mu.Unlock()
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	look(t.output)
	return true
}

// Screen calls look with a terminal's screen (see core.Terminal.Screen), which
// must not be used after look has returned. The command's output waits for look.
// It reports whether there is such a screen.
func (d *Driver) Screen(id core.TerminalID, look func(s *vt.Screen)) (ok bool) {
	d.Look(id, func(t *core.Terminal) {
		s := t.Screen()
		if ok = s != nil; ok {
			look(s)
		}
	})
	return ok
}
