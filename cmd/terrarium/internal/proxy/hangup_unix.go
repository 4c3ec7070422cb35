//go:build unix

package proxy

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// awaitHangup returns true when nobody can write any more what r would read, be there something
// left to read or not. It returns false if it can't know that, as of what is no pipe or socket it
// may never.
func awaitHangup(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	fd := -1 // of our own: r may be closed meanwhile
	if raw.Control(func(of uintptr) { fd, err = unix.FcntlInt(of, unix.F_DUPFD_CLOEXEC, 0) }) != nil || err != nil {
		return false
	}
	defer unix.Close(fd)
	for {
		// We ask for nothing, so it is an end or an error.
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd)}}, -1)
		if n > 0 {
			return true
		}
		if err != unix.EINTR {
			return false
		}
	}
}
