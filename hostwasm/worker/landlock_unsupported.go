//go:build !linux

package worker

import "errors"

func landlockMeasure() Measure { return measure("landlock", errors.ErrUnsupported, "") }

// keepFiles does nothing here.
func keepFiles([]place) error { return errors.ErrUnsupported }
