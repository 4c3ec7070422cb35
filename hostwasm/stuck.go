package hostwasm

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A file system may not answer: one that is mounted from elsewhere, or an
// embedder's. A guest that waits for it can't be ended. Once killed it is left
// behind, to end when it is answered: nobody else waits with it.

// stuckLimit is how long we wait for what ends at once unless it is in a file
// system: a guest that is killed, a start that is given up.
var stuckLimit = 5 * time.Second

// errStuck is what Close fails with when there is such a guest.
var errStuck = errors.New("hostwasm: a command is left behind in a file system that does not answer")

// maxLeft is how many starts may be left behind. Each keeps one of the system's
// threads, of which Go lets a program have 10,000 before it ends it.
var maxLeft int64 = 1024

// errLeft is why nothing starts where there are so many.
var errLeft = &core.HostError{
	Reason: "no_resources", Message: "too many commands wait for a file system that does not answer",
}

// until has a file system wait no longer than ctx lasts.
func until(ctx context.Context) vfs.Wait {
	return func(f func()) error {
		done := make(chan struct{})
		go func() { // ends when the file system has answered, or has given up
			defer close(done)
			f()
		}()
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// within returns what f does. f minds ctx, but if that ends and f is stuck, undo
// gets what comes of it when it comes, if it comes without an error. left counts
// those whose ctx has ended.
func within[T any](ctx context.Context, left *atomic.Int64, f func() (T, error), undo func(T)) (none T, err error) {
	if left.Load() >= maxLeft {
		return none, errLeft
	}
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() { // ends when the file systems have answered
		v, err := f()
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	left.Add(1)
	late := time.NewTimer(stuckLimit)
	defer late.Stop()
	select {
	case o := <-done:
		left.Add(-1)
		return o.value, o.err
	case <-late.C:
		go func() { // ends right behind the other
			o := <-done
			left.Add(-1)
			if o.err == nil {
				undo(o.value)
			}
		}()
		return none, context.Cause(ctx)
	}
}
