package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

const (
	openPause = 100 * time.Millisecond // between two attempts
	// goneAfter is for how long the server has to say that nobody is there. A worker whose own
	// connection has broken is back sooner, unless the server was away for all: then ours has
	// broken too, and it has settleTime, until it is heard again. With a heartbeat before it, it is
	// less than two.
	goneAfter = 1500 * time.Millisecond
)

// A redial makes a connection to the worker of a Place whose last one has ended. It has a Place's
// methods, so that it can be tested without a server, in virtual time.
type redial struct {
	worker    string                          // its name
	connected func(ctx context.Context) error // waits for the connection to the server
	// open has one attempt. The error is errNobody where the server says that nobody is there.
	open     func(ctx context.Context) (*link, error)
	settled  func() bool // a worker that is there would have come back
	isClosed func() bool // nobody wants a connection any more
}

// dial returns a link. Where the worker is no more, the error is remote.ErrGone.
func (r *redial) dial(ctx context.Context) (io.ReadWriteCloser, error) {
	var absent time.Time // since when nobody is there, without a break
	for {
		if err := r.connected(ctx); err != nil {
			return nil, err
		}
		l, err := r.open(ctx)
		switch {
		case err == nil:
			return l, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !errors.Is(err, errNobody):
			absent = time.Time{}
			if r.isClosed() {
				return nil, os.ErrClosed
			}
		case absent.IsZero():
			absent = time.Now()
		case r.settled() && time.Since(absent) >= goneAfter:
			return nil, fmt.Errorf("worker %s: %w", r.worker, remote.ErrGone)
		}
		select {
		case <-time.After(openPause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
