//go:build !linux && !wasip1

package tty

import (
	"errors"
	"os"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

func get(*os.File) (proc.Terminal, error) { return proc.Terminal{}, errors.ErrUnsupported }

func setModes(*os.File, proc.TerminalModes) error { return errors.ErrUnsupported }

func setSize(*os.File, int, int) error { return errors.ErrUnsupported }

func watch(*os.File, func()) (stop func(), err error) { return nil, errors.ErrUnsupported }
