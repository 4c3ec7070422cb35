//go:build unix

package plugin

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Lock waits until nobody else changes a folder of plugins. The lock is on the
// directory itself, so no file is left of it.
func Lock(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			f.Close()
			return nil, &fs.PathError{Op: "lock", Path: dir, Err: err}
		}
		return func() { f.Close() }, nil
	}
}
