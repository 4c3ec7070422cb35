package fleet

import (
	"context"
	"os"
	"sync"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// An OwnHost is the host of one session. Close ends what is left of it, and returns when nothing
// is.
type OwnHost interface {
	driver.Host
	Close() error
}

// A lateHost is opened when its session has begun: whoever asked has a place by then, and learns
// why there is no host. What is asked of it waits until it is open. It is safe for concurrent use.
type lateHost struct {
	open func(ctx context.Context) (OwnHost, error)

	ctx    context.Context // ends with close
	cancel context.CancelFunc
	begun  sync.Once
	opened chan struct{} // closed when the fields below are set
	host   OwnHost
	err    error // why there is none
}

func newLateHost(open func(ctx context.Context) (OwnHost, error)) *lateHost {
	h := &lateHost{open: open, opened: make(chan struct{})}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// begin has it opened, the first time.
func (h *lateHost) begin() {
	h.begun.Do(func() {
		go func() { // close waits for it
			defer close(h.opened)
			h.host, h.err = h.open(h.ctx)
		}()
	})
}

// Resolve implements driver.Host.
func (h *lateHost) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	select {
	case <-h.opened:
	case <-ctx.Done():
		return core.Exec{}, ctx.Err()
	}
	if h.err != nil {
		return core.Exec{}, &core.HostError{Reason: "start_failed", Message: h.err.Error(), Err: h.err}
	}
	return h.host.Resolve(ctx, c)
}

// Start implements driver.Host. What it starts was resolved, so it is open.
func (h *lateHost) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	return h.host.Start(ctx, e)
}

// close ends what was opened, or is just being opened.
func (h *lateHost) close() {
	h.cancel()
	h.begun.Do(func() {
		h.err = os.ErrClosed
		close(h.opened)
	})
	<-h.opened
	if h.host != nil {
		h.host.Close()
	}
}
