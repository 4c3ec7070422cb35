//go:build unix

package dirlock

import (
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Lock waits until nobody else has the directory, and has it until unlock.
func Lock(dir string) (unlock func(), err error) { return lock(dir, unix.LOCK_EX) }

// Try is Lock, but does not wait: the error is ErrLocked if others have the directory.
func Try(dir string) (unlock func(), err error) { return lock(dir, unix.LOCK_EX|unix.LOCK_NB) }

// Within is Lock, but waits no longer than limit: the error is ErrLocked then.
func Within(dir string, limit time.Duration) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	return Hold(f, limit)
}

// Hold is Within for what is open already, such as a file beside the one that it is about. It
// closes f, with unlock or when there is no lock.
func Hold(f *os.File, limit time.Duration) (unlock func(), err error) {
	locked := make(chan error, 1)
	go func() { locked <- hold(f, unix.LOCK_EX) }() // ends when others let go of it, or we end
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case err = <-locked:
		if err != nil {
			f.Close()
			return nil, err
		}
		return func() { f.Close() }, nil
	case <-late.C:
		go func() { // likewise
			<-locked
			f.Close()
		}()
		return nil, &fs.PathError{Op: "lock", Path: f.Name(), Err: ErrLocked}
	}
}

func lock(dir string, how int) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := hold(f, how); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// hold locks what is open, until it is closed.
func hold(f *os.File, how int) error {
	err := error(unix.EINTR)
	for err == unix.EINTR {
		err = unix.Flock(int(f.Fd()), how)
	}
	if err == unix.EWOULDBLOCK {
		err = ErrLocked
	}
	if err != nil {
		err = &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return err
}
