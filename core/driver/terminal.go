package driver

import (
	"context"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/keys"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// A Terminal is a handle of one of a Driver's terminals. It is made by
// [Driver.Create], or from an id by [Driver.Terminal]. Its methods are safe for
// concurrent use. Those that return an error return core.ErrUnknownTerminal where
// there is no such terminal, or none any longer, and core.ErrReleased where it was
// released; the rest say what they do then.
type Terminal struct {
	driver *Driver
	id     core.TerminalID
}

// Terminal returns a handle of the terminal with that id, whether there is one or
// not.
func (d *Driver) Terminal(id core.TerminalID) *Terminal { return &Terminal{d, id} }

// ID returns the id by which protocols name the terminal.
func (t *Terminal) ID() core.TerminalID { return t.id }

// known returns what the driver knows of the terminal, or nil.
func (t *Terminal) known() *terminal {
	t.driver.mu.Lock()
	defer t.driver.mu.Unlock()
	return t.driver.terminals[t.id]
}

// Write queues p, which the command takes when it reads. p is not kept. It takes
// all of p or nothing: core.ErrInputFull says that 1 MiB waits already (see
// [Terminal.Flush]), core.ErrNotRunning and core.ErrInputClosed that nobody reads.
func (t *Terminal) Write(p []byte) (n int, err error) {
	t.driver.do(func(now time.Time) { err = t.driver.registry.Write(now, t.id, p) })
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush waits until the command has taken all that was written before, or ctx
// ends. Who writes a lot calls it in between, lest ErrInputFull come. The error
// of a command that reads no more is the Host's.
func (t *Terminal) Flush(ctx context.Context) error {
	d := t.driver
	d.mu.Lock()
	known := d.terminals[t.id]
	if known == nil || d.closed {
		d.mu.Unlock()
		return core.ErrUnknownTerminal
	}
	taken := make(chan struct{})
	d.enqueue(&known.input, func() { close(taken) })
	d.mu.Unlock()
	select {
	case <-taken:
	case <-ctx.Done():
		return ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return known.inputErr
}

// CloseInput ends the command's standard input after what was written.
func (t *Terminal) CloseInput() (err error) {
	t.driver.do(func(now time.Time) { err = t.driver.registry.CloseInput(now, t.id) })
	return err
}

// Resize gives the terminal of a running command a new size, in cells.
func (t *Terminal) Resize(rows, cols int) (err error) {
	t.driver.do(func(now time.Time) { err = t.driver.registry.Resize(now, t.id, rows, cols) })
	return err
}

// Kill ends the command: SIGTERM now, SIGKILL after Core.KillGrace.
func (t *Terminal) Kill() (err error) {
	t.driver.do(func(now time.Time) { err = t.driver.registry.Kill(now, t.id) })
	return err
}

// KillNow is Kill without the grace, or with no more of it.
func (t *Terminal) KillNow() (err error) {
	t.driver.do(func(now time.Time) { err = t.driver.registry.KillNow(now, t.id) })
	return err
}

// Release kills what still runs and frees the terminal, in the background. Its
// output may be kept for display, see core.Config.
func (t *Terminal) Release() (err error) {
	t.driver.do(func(now time.Time) { err = t.driver.registry.Release(now, t.id) })
	return err
}

// Wait waits until the command has ended and its output was read, or ctx ends. It
// also works for a released terminal, and who waits already is told the exit
// whatever becomes of the terminal. The error of a command that did not start says
// why.
func (t *Terminal) Wait(ctx context.Context) (core.Exit, error) {
	known, err := t.started(ctx)
	if err != nil {
		return core.Exit{}, err
	}
	select {
	case <-known.exit:
	case <-ctx.Done():
		return core.Exit{}, ctx.Err()
	}
	// Not from the registry: a session may be closed, or its output evicted,
	// before this goroutine gets its turn, and then that knows nothing any more.
	return known.ended, nil
}

// started returns what is known of a terminal whose command has started, so that an
// exit is to come, or why it has not.
func (t *Terminal) started(ctx context.Context) (*terminal, error) {
	known := t.known()
	if known == nil {
		return nil, core.ErrUnknownTerminal
	}
	select {
	case <-known.settled:
		return known, known.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Status returns what is known of the terminal besides its output, if there is one.
func (t *Terminal) Status() (core.Status, bool) {
	t.driver.mu.Lock()
	defer t.driver.mu.Unlock()
	return t.driver.registry.Status(t.id)
}

// Output returns what the terminal keeps of the output, rendered as its
// core.Command says, and whether older output is gone. It is "" where there is no
// such terminal.
func (t *Terminal) Output() (out string, truncated bool) {
	p, truncated := t.AppendOutput(nil)
	return string(p), truncated
}

// AppendOutput appends what Output returns to dst.
func (t *Terminal) AppendOutput(dst []byte) (out []byte, truncated bool) {
	known := t.known()
	if known == nil {
		return dst, false
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	return known.output.AppendOutput(dst)
}

// Look calls look with the output half of the terminal, of a released one too whose
// output is kept. It must not be changed, nor used after look has returned. The
// command's output waits for look. It reports whether there is such a terminal.
func (t *Terminal) Look(look func(t *core.Terminal)) bool {
	known := t.known()
	if known == nil {
		return false
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	look(known.output)
	return true
}

// Screen calls look with the terminal's screen (see core.Terminal.Screen), which
// must not be used after look has returned. The command's output waits for look.
// It reports whether there is such a screen.
func (t *Terminal) Screen(look func(s *vt.Screen)) (ok bool) {
	t.Look(func(t *core.Terminal) {
		s := t.Screen()
		if ok = s != nil; ok {
			look(s)
		}
	})
	return ok
}

// KeyModes returns what the command has made of the keyboard, for keys.Append: whether arrows send
// other bytes, say. It is the zero value where there is no screen. Raw, which is no matter of the
// screen, is not set.
func (t *Terminal) KeyModes() (m keys.Modes) {
	t.Screen(func(s *vt.Screen) {
		modes := s.Modes()
		m.AppCursor, m.AppKeypad = modes.AppCursor, modes.AppKeypad
	})
	return m
}
