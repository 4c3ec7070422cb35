//go:build amd64 || arm64

package confine

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Changed reports whether one of Around has changed since it was looked at. What has come
// into it is not granted, so whoever starts commands starts another keeper then.
func (r Report) Changed() bool {
	for i, path := range r.Around {
		at, err := changedAt(path)
		if err == nil && i < len(r.AroundAt) && at != r.AroundAt[i] || errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// changedAt returns when an inode was last changed, in nanoseconds: unlike the time of its
// content, its owner can't set it back.
func changedAt(path string) (int64, error) {
	var stat unix.Stat_t
	err := unix.Lstat(path, &stat)
	return unix.TimespecToNsec(stat.Ctim), err
}
