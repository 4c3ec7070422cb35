//go:build !linux && !darwin

package vfs

import (
	"errors"
	"fmt"
)

// OpenHost fails: directories of this system cannot be shared with guests.
func OpenHost(dir string, o HostOptions) (FS, error) {
	return nil, fmt.Errorf("mount %s: %w", dir, errors.ErrUnsupported)
}

// Hide returns nothing: no guest reaches a directory of this system.
func Hide(dirs ...string) (*Hidden, error) { return nil, nil }

// And returns nothing either.
func (h *Hidden) And(dirs ...string) (*Hidden, error) { return nil, nil }
