//go:build !linux && !wasip1

package sys

import "io/fs"

// HasModes says whether the system keeps permissions.
const HasModes = true

// Of returns what fi knows.
func Of(fi fs.FileInfo) Info { return portable(fi) }
