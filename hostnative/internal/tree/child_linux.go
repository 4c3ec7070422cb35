package tree

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// A child is a process that this program has started. Its id is its own until
// it is reaped.
type child struct {
	pid int

	// pidfd becomes readable when the child ends (pidfd_open(2)). It belongs
	// to Go's poller, and wait closes it in the end. It is nil where Linux has
	// none: before 5.4, and in some sandboxes.
	pidfd *os.File

	// forkedRSS is this program's largest size, in KiB, when it started the
	// child: what the child had in common with it until execve(2), and what
	// counts as the child's own largest size from then on.
	forkedRSS int64
}

// startChild is syscall.StartProcess.
func startChild(path string, argv []string, attr *syscall.ProcAttr) (child, error) {
	var own unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &own) // fails for bad arguments only
	fd := -1
	attr.Sys.PidFD = &fd
	pid, _, err := syscall.StartProcess(path, argv, attr)
	if err != nil {
		return child{}, err
	}
	c := child{pid: pid, forkedRSS: int64(own.Maxrss)}
	if fd >= 0 && unix.SetNonblock(fd, true) == nil {
		c.pidfd = os.NewFile(uintptr(fd), "pidfd")
	} else if fd >= 0 {
		unix.Close(fd)
	}
	return c, nil
}

// blocks reports whether wait takes a thread, and can't be interrupted.
func (c child) blocks() bool { return c.pidfd == nil }

// wait returns when c has ended, and leaves its zombie; or with
// os.ErrDeadlineExceeded after interrupt. unix.ECHILD means that there is no
// such child any longer. It is called until it has told of the end, by one
// caller at a time.
func (c child) wait() (exit core.Exit, err error) {
	err = errors.ErrUnsupported
	if c.pidfd != nil {
		exit, err = c.waitPidfd()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return exit, err
		}
		c.pidfd.Close()
	}
	if err != nil && err != unix.ECHILD {
		exit, _, err = waitExit(unix.P_PID, c.pid, 0)
	}
	if exit.Usage.MaxRSS <= c.forkedRSS<<10 {
		exit.Usage.MaxRSS = 0 // unknown
	}
	return exit, err
}

// waitPidfd waits in Go's poller, without a thread.
func (c child) waitPidfd() (exit core.Exit, err error) {
	conn, err := c.pidfd.SyscallConn()
	if err != nil {
		return exit, err
	}
	pollErr := conn.Read(func(fd uintptr) (done bool) {
		exit, done, err = waitExit(unix.P_PIDFD, int(fd), unix.WNOHANG)
		return done || err != nil
	})
	if err == nil {
		err = pollErr
	}
	return exit, err
}

// interrupt ends wait, also one that is called later, until resume.
func (c child) interrupt() { c.setDeadline(time.Unix(1, 0)) }
func (c child) resume()    { c.setDeadline(time.Time{}) }

func (c child) setDeadline(t time.Time) {
	if c.pidfd != nil {
		c.pidfd.SetReadDeadline(t) // an error means that it is closed: wait has ended
	}
}
