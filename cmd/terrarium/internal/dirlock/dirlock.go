// Package dirlock keeps other processes out of a directory meanwhile. The lock is on the directory
// itself, so no file is left of it, and it ends with the process that has it.
package dirlock

import "errors"

// ErrLocked is why a directory can't be had now.
var ErrLocked = errors.New("others have it locked")
