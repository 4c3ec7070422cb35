package trypipe

import (
	"os"

	"golang.org/x/sys/unix"
)

// wide is how much a pipe holds that was widened, in bytes: what a link has on its way for one
// terminal at the most.
const wide = 256 << 10

// Widen has a pipe hold 256 KiB, where it holds less and the system lets it have more: who writes
// much into it then waits less often for who reads.
//
// https://man7.org/linux/man-pages/man7/pipe.7.html
func Widen(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) {
		if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && size < wide {
			unix.FcntlInt(fd, unix.F_SETPIPE_SZ, wide) // an error means that it stays as it is
		}
	})
}
