//go:build linux || darwin

package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// lockPause is how long lockFile waits between two tries.
const lockPause = 2 * time.Millisecond

// lockFile locks a file, which it makes if there is none, until it is closed. Who holds
// the lock has its process id in the file: a program that is stopped meanwhile has to be
// found.
func lockFile(ctx context.Context, name string, patience time.Duration) (*os.File, error) {
	f, err := openLock(name, unix.O_CREAT)
	if err != nil {
		return nil, err
	}
	for begun := time.Now(); ; {
		err := flock(f, unix.LOCK_EX)
		if err == nil {
			sign(f)
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		if time.Since(begun) > patience {
			defer f.Close()
			return nil, fmt.Errorf("process %s has locked %s for more than %v: is it stopped?", holder(f), name, patience)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// sign writes our process id into a lock's file, unless it is there: to write takes ten times as
// long as to look. It goes over what is there: ext4 writes a file that was truncated to the disk
// when it is closed. Where it fails, who waits is told less.
func sign(f *os.File) {
	var was [16]byte
	own := fmt.Appendf(nil, "%-10d", os.Getpid())
	if n, _ := f.ReadAt(was[:], 0); !bytes.Equal(was[:n], own) {
		f.WriteAt(own, 0)
	}
}

// openLock opens a lock's file. os.OpenFile would try to have Go's poller wait for it, which takes
// five calls more, at each start and each end of a command.
func openLock(name string, flags int) (*os.File, error) {
	for {
		fd, err := unix.Open(name, unix.O_RDWR|unix.O_CLOEXEC|flags, 0o600)
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), name), nil
		case unix.EINTR:
		default:
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// holder returns the process id that is in a lock's file.
func holder(f *os.File) string {
	var text [20]byte
	n, _ := f.ReadAt(text[:], 0)
	if s := strings.TrimSpace(string(text[:n])); s != "" {
		if _, err := strconv.Atoi(s); err == nil {
			return s
		}
	}
	return "?"
}

// flock locks f, or fails with EWOULDBLOCK.
func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); err != unix.EINTR {
			return err
		}
	}
}
