package driver

import (
	"context"
	"errors"

	"github.com/terrarium-dev/terrarium/core"
)

// terminalKey is where the contexts of Host.Resolve, Decide and Host.Start have
// the terminal that they are about.
type terminalKey struct{}

// TerminalOf returns the terminal that a driver calls Host.Resolve, Decide or
// Host.Start for, given their context. ok is false with any other.
func TerminalOf(ctx context.Context) (id core.TerminalID, ok bool) {
	t, ok := ctx.Value(terminalKey{}).(*terminal)
	if !ok {
		return "", false
	}
	return t.id, true
}

// Doing has a Host say what takes long while it starts a command, given the
// context of [Host.Start]: "its module was still being compiled". It is told of
// a command whose time is over before it runs. Once it is done, the Host says so.
func Doing(ctx context.Context, what string) (done func()) {
	t, ok := ctx.Value(terminalKey{}).(*terminal)
	if !ok {
		return func() {}
	}
	t.doing.Store(&what)
	return func() { t.doing.CompareAndSwap(&what, nil) }
}

// toldWith returns why a command did not start, err, with what the host was doing
// when its time was over.
func (t *terminal) toldWith(err error) error {
	late, ok := errors.AsType[*core.HostError](err)
	what := t.doing.Load()
	if !ok || late.Reason != "timeout" || what == nil {
		return err
	}
	return &core.HostError{Reason: late.Reason, Message: late.Message + ": " + *what, Err: late}
}
