package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/dirlock"
)

var (
	// errLocked is why a state directory, or what is in it, can't be had now.
	errLocked = errors.New("a fleet is served from there already, or its tenants are being changed")
	// errServed is why it can't be had for long.
	errServed = errors.New("a fleet is served from there already")
)

// lockTime is for how long others may have what we need.
const (
	lockTime  = 10 * time.Second
	lockPause = 20 * time.Millisecond
)

// lock keeps others out of a directory until unlock. The error is errLocked if others have it:
// nobody waits.
func lock(dir string) (unlock func(), err error) {
	unlock, err = dirlock.Try(dir)
	if errors.Is(err, dirlock.ErrLocked) {
		err = fmt.Errorf("%s: %w", dir, errLocked)
	}
	return unlock, err
}

// patiently tries again while others have what f locks.
func patiently(ctx context.Context, f func() error) error {
	for end := time.Now().Add(lockTime); ; {
		err := f()
		if !errors.Is(err, errLocked) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lockPause):
		}
	}
}
