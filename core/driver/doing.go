package driver

import (
	"context"
	"errors"

	"github.com/terrarium-dev/terrarium/core"
)

// doingKey is where the context of Host.Start has the terminal that is started.
type doingKey struct{}

// Doing has a Host say what takes long while it starts a command, given the
// context of [Host.Start]: "its module was still being compiled". It is told of
// a command whose time is over before it runs. Once it is done, the Host says so.
func Doing(ctx context.Context, what string) (done func()) {
	t, ok := ctx.Value(doingKey{}).(*terminal)
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
