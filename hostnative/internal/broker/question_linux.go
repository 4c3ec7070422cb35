package broker

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A question is struct seccomp_notif of linux/seccomp.h: a call that waits.
type question struct {
	id    uint64
	pid   uint32 // of the thread
	flags uint32
	call  int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// An answer is struct seccomp_notif_resp.
type answer struct {
	id    uint64
	value int64
	errno int32 // negative
	flags uint32
}

// A listener is where questions come from.
type listener struct {
	file *os.File
	conn interface {
		Control(func(fd uintptr)) error
		Read(func(fd uintptr) bool) error
	}
}

// newListener takes over fd.
func newListener(fd int) (*listener, error) {
	if err := unix.SetNonblock(fd, true); err != nil { // Go's poller waits
		unix.Close(fd)
		return nil, err
	}
	// Who asks and who answers take turns: the kernel wakes one on the other's processor, which is
	// awake. Before Linux 6.6 it can't.
	unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	file := os.NewFile(uintptr(fd), "seccomp")
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &listener{file, conn}, nil
}

// next waits for a question. It returns false when nobody is left who could ask.
func (l *listener) next() (q question, ok bool) {
	err := l.conn.Read(func(fd uintptr) (done bool) {
		ok, done = q.receive(fd, 0)
		return done
	})
	if err != nil {
		// Go's poller gives up a file of which the kernel says that there is an error: see receive.
		l.conn.Control(func(fd uintptr) { ok, _ = q.receive(fd, -1) })
	}
	return q, ok
}

// receive waits for a question, for so many milliseconds, or for ever if they are negative. It is
// done if there is one, which ok says, or if nobody is left who could ask.
func (q *question) receive(fd uintptr, patience int) (ok, done bool) {
	for {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, patience)
		switch events := fds[0].Revents; {
		case err == unix.EINTR, events == unix.POLLERR:
			// The latter, too, means a signal: it came while poll waited for a lock that whoever
			// just asks has (seccomp_notify_poll in Linux's kernel/seccomp.c).
			continue
		case err == nil && n == 0:
			return false, false
		case events&unix.POLLIN == 0:
			return false, true // hung up
		}
		*q = question{} // the kernel wants zeros
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(q)))
		if errno == 0 {
			return true, true
		}
		// ENOENT: whoever has asked was killed.
	}
}

// waits reports whether q still waits for its answer: then its thread is still
// the one that has asked.
func (l *listener) waits(q question) bool {
	errno := unix.Errno(unix.EBADF)
	l.conn.Control(func(fd uintptr) {
		_, _, errno = unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, uintptr(unsafe.Pointer(&q.id)))
	})
	return errno == 0
}

// answer has q's call return errno, or 0. Whoever has asked may be gone.
func (l *listener) answer(q question, errno unix.Errno) {
	a := answer{id: q.id, errno: -int32(errno)}
	l.conn.Control(func(fd uintptr) {
		unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&a)))
	})
}

// goOn has the kernel make q's call. What that reads from memory may have changed by then.
func (l *listener) goOn(q question) {
	a := answer{id: q.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	l.conn.Control(func(fd uintptr) {
		unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&a)))
	})
}
