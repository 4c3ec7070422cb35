package broker

import (
	"time"

	"golang.org/x/sys/unix"
)

// lookAgain is how long a connect may take before it is seen whether anybody still waits
// for it.
const lookAgain = time.Second

// connect connects a command's socket. As long as waits says so it takes as long as the
// command is ready to wait: it may never end, where a unix socket's server takes nobody,
// and no signal of ours ends it.
func connect(fd int, to unix.Sockaddr, waits func() bool) error {
	limit, err := unix.GetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO)
	if err != nil {
		return err
	}
	defer unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, limit)
	patience := time.Duration(limit.Nano())
	begun := time.Now()
	for again := false; ; again = true {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil {
			return err
		}
		// The command may change this and that meanwhile, and so each time anew.
		step := lookAgain
		if patience > 0 {
			step = min(step, max(time.Microsecond, patience-time.Since(begun)))
		}
		timeval := unix.NsecToTimeval(int64(step))
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &timeval)
		tried := time.Now()
		switch err := unix.Connect(fd, to); {
		case err == nil, again && err == unix.EISCONN:
			return nil
		case err == unix.EINTR: // by a signal of Go's own
		case err != unix.EAGAIN && err != unix.EINPROGRESS && err != unix.EALREADY,
			flags&unix.O_NONBLOCK != 0,
			patience > 0 && time.Since(begun) >= patience:
			return err
		default:
			time.Sleep(step - time.Since(tried)) // if the command has shortened it
		}
		if !waits() {
			return unix.EINTR
		}
	}
}
