//go:build !linux

package wazero

import (
	"errors"
	"os"
)

const canMap = false

func sealedFile([]byte) (*os.File, error) { return nil, errors.ErrUnsupported }

func mapPrivate(*os.File, []byte) error { return errors.ErrUnsupported }
