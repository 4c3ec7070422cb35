//go:build !linux && !darwin

package hostnative

import (
	"context"
	"errors"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

func supported() error { return errors.ErrUnsupported }

// Resolve returns errors.ErrUnsupported.
func (h *Host) Resolve(context.Context, core.Command) (core.Exec, error) {
	return core.Exec{}, errors.ErrUnsupported
}

// Start returns errors.ErrUnsupported.
func (h *Host) Start(context.Context, core.Exec) (driver.Process, error) {
	return nil, errors.ErrUnsupported
}

type environs struct{}

func newEnvirons([]string) environs { return environs{} }
