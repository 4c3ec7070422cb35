package driver

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// Create starts a command and returns its terminal as soon as it runs. If ctx
// ends before, nothing runs. Errors are those of core.Registry.Create and of the
// Host, a *core.DeniedError, or ErrClosed.
func (d *Driver) Create(ctx context.Context, s core.SessionID, c core.Command) (*Terminal, error) {
	var t *terminal
	id, err := d.begin(s, c, &t)
	if err != nil {
		return nil, err
	}
	select {
	case <-t.settled:
	case <-ctx.Done():
		d.Terminal(id).Release()
		<-t.settled // by Started, if it came at the last moment
		return nil, ctx.Err()
	}
	if t.err != nil {
		return nil, t.err
	}
	return d.Terminal(id), nil
}

// Begin is Create for those who wait for Started or StartFailed among the
// news. It returns before either is told.
func (d *Driver) Begin(s core.SessionID, c core.Command) (*Terminal, error) {
	id, err := d.begin(s, c, new(*terminal))
	if err != nil {
		return nil, err
	}
	return d.Terminal(id), nil
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
	if err == nil || err == ErrClosed {
		return id, err
	}
	d.log.Warn("command refused", "session", string(s), "err", err)
	if d.config.OnRefused != nil {
		d.config.OnRefused(s, &c, err)
	}
	return id, err
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
