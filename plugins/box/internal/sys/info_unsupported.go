//go:build !linux && !wasip1

package sys

import (
	"errors"
	"io/fs"
	"time"
)

// HasOwners says whether the system knows whose files are.
const HasOwners = true

// Lchtimes does nothing.
func Lchtimes(string, time.Time, time.Time) error { return errors.ErrUnsupported }

// Of returns what fi knows.
func Of(fi fs.FileInfo) Info { return portable(fi) }
