//go:build !linux && !darwin

package cache

import "errors"

// exchange would have two directories change places at once.
func exchange(_, _ string) error { return errors.ErrUnsupported }
