//go:build !linux && !darwin

package vfs

import (
	"errors"
	"fmt"
	"os"
)

// OpenHost fails: directories of this system cannot be shared with guests.
func OpenHost(dir string, o HostOptions) (FS, error) {
	return nil, fmt.Errorf("mount %s: %w", dir, errors.ErrUnsupported)
}

// Hide returns nothing: no guest reaches a directory of this system.
func Hide(dirs ...string) (*Hidden, error) { return nil, nil }

// MayBeBelow reports that nothing is.
func (h *Hidden) MayBeBelow(dir *os.File) bool { return false }

// Descriptor fails: there are no files of this system.
func Descriptor(f File) (*os.File, error) { return nil, errors.ErrUnsupported }

// And returns nothing either.
func (h *Hidden) And(dirs ...string) (*Hidden, error) { return nil, nil }
