//go:build !linux && !darwin

package protect

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// A Snapshot has what the protected files of some directories were.
type Snapshot struct{}

// Config says what to protect.
type Config struct {
	Roots []string
	Keep  string
	Homes []string
	Limits
}

var errUnsupported = fmt.Errorf("protect: there is none on %s: %w", runtime.GOOS, errors.ErrUnsupported)

// Take fails.
func Take(context.Context, Config) (*Snapshot, error) { return nil, errUnsupported }

// Update fails.
func (*Snapshot) Update(context.Context) error { return errUnsupported }

// Restore fails.
func (*Snapshot) Restore(context.Context) ([]Change, error) { return nil, errUnsupported }

// Left returns nothing.
func (*Snapshot) Left() []Gap { return nil }

// Close does nothing.
func (*Snapshot) Close() error { return nil }
