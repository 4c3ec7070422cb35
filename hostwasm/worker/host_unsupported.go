//go:build !linux && !darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A Host runs WASI commands, each in a worker. There is none on this system.
type Host struct{}

var _ driver.Host = (*Host)(nil)

var errNone = fmt.Errorf("hostwasm/worker: %s: %w", runtime.GOOS, errors.ErrUnsupported)

// New returns errors.ErrUnsupported.
func New(Config) (*Host, error) { return nil, errNone }

// Close does nothing.
func (*Host) Close() error { return nil }

// Resolve returns errors.ErrUnsupported.
func (*Host) Resolve(context.Context, core.Command) (core.Exec, error) { return core.Exec{}, errNone }

// Start returns errors.ErrUnsupported.
func (*Host) Start(context.Context, core.Exec) (driver.Process, error) { return nil, errNone }

// Prepare returns errors.ErrUnsupported.
func (*Host) Prepare(context.Context, string) error { return errNone }

// PrepareAll returns errors.ErrUnsupported.
func (*Host) PrepareAll(context.Context) error { return errNone }

// Report returns errors.ErrUnsupported.
func (*Host) Report(context.Context) ([]Measure, error) { return nil, errNone }

// RefusedCalls returns none.
func (*Host) RefusedCalls() map[string]int64 { return nil }

// work has nothing to do: hosts start no workers here.
func work() int { return 2 }
