//go:build !linux && !wasip1

package sys

import "io/fs"

// HasOwners says whether the system knows whose files are.
const HasOwners = true

// Of returns what fi knows.
func Of(fi fs.FileInfo) Info { return portable(fi) }
