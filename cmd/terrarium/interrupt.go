package main

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// interruptible returns a context that ends when a signal asks us to end. Its
// cause is then an error with the status that shells give to that.
func interruptible() (_ context.Context, stop func()) {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	notifyEnd(signals)
	go func() { // left behind when we exit
		s := <-signals
		end(&failure{statusSignal + int(s.(syscall.Signal)), errors.New("interrupted")})
	}()
	return ctx, func() { end(nil) }
}

// interrupted returns why ctx has ended in place of an error, which is then a
// consequence of that.
func interrupted(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
