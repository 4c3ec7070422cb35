//go:build unix

package dirlock

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Lock waits until nobody else has the directory, and has it until unlock.
func Lock(dir string) (unlock func(), err error) { return lock(dir, unix.LOCK_EX) }

// Try is Lock, but does not wait: the error is ErrLocked if others have the directory.
func Try(dir string) (unlock func(), err error) { return lock(dir, unix.LOCK_EX|unix.LOCK_NB) }

func lock(dir string, how int) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		switch {
		case err == nil:
			return func() { f.Close() }, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			err = ErrLocked
		}
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: dir, Err: err}
	}
}
