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
	Roots  []string
	Keep   string
	Homes  []string
	Except []string
	Limits
}

var errUnsupported = fmt.Errorf("protect: there is none on %s: %w", runtime.GOOS, errors.ErrUnsupported)

// Take fails.
func Take(context.Context, Config) (*Snapshot, error) { return nil, errUnsupported }

// Open fails.
func Open(Config) (*Snapshot, error) { return nil, errUnsupported }

// Save fails.
func (*Snapshot) Save() ([]byte, error) { return nil, errUnsupported }

// Load fails.
func (*Snapshot) Load([]byte) error { return errUnsupported }

// Update fails.
func (*Snapshot) Update(context.Context) error { return errUnsupported }

// Restore fails.
func (*Snapshot) Restore(context.Context) ([]Change, error) { return nil, errUnsupported }

// Left returns nothing.
func (*Snapshot) Left() []Gap { return nil }

// Close does nothing.
func (*Snapshot) Close() error { return nil }
