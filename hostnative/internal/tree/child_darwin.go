package tree

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// This file has been compiled and vetted, but not run: neither the kqueue nor
// waitid(2) with its siginfo_t.

// A child is a process that this program has started. Its id is its own until
// it is reaped.
type child struct {
	pid int
}

// startChild is syscall.StartProcess.
func startChild(path string, argv []string, attr *syscall.ProcAttr) (child, error) {
	pid, _, err := syscall.StartProcess(path, argv, attr)
	return child{pid}, err
}

func (c child) blocks() bool { return true }
func (c child) interrupt()   {}
func (c child) resume()      {}

// wait blocks, with a thread, until c has ended, and leaves its zombie.
// unix.ECHILD means that there is no such child any longer.
//
// Here waitid(2) returns for a stopped child, too (https://go.dev/issue/19314),
// so it is only asked once a kqueue has told of the exit. It does not tell
// what the command used: Exit.Usage is unknown.
func (c child) wait() (core.Exit, error) {
	if err := awaitExit(c.pid); err != nil {
		return core.Exit{}, err
	}
	// The members of siginfo_t up to si_status, which is all that is filled in.
	var info struct {
		signo, errno, code, pid int32
		uid                     uint32
		status                  int32
		_                       [80]byte // it has 104
	}
	for {
		//lint:ignore SA1019 package unix has no wrapper of libSystem's waitid
		_, _, errno := unix.Syscall6(unix.SYS_WAITID, pPID, uintptr(c.pid), uintptr(unsafe.Pointer(&info)),
			unix.WEXITED|unix.WNOWAIT, 0, 0)
		switch errno {
		case 0:
			return core.Exit{Status: exitStatus(info.code, info.status)}, nil
		case unix.EINTR:
		default:
			return core.Exit{}, errno
		}
	}
}

// pPID is waitid(2)'s P_PID.
const pPID = 1

// awaitExit returns when the child pid is ending or has ended.
func awaitExit(pid int) error {
	kq, err := unix.Kqueue()
	if err != nil {
		return err
	}
	defer unix.Close(kq)
	unix.CloseOnExec(kq)

	change := make([]unix.Kevent_t, 1)
	unix.SetKevent(&change[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	change[0].Fflags = unix.NOTE_EXIT
	if _, err := unix.Kevent(kq, change, nil, nil); err == unix.ESRCH {
		return nil // it is a zombie already
	} else if err != nil {
		return err
	}
	events := make([]unix.Kevent_t, 1)
	for {
		if _, err := unix.Kevent(kq, nil, events, nil); err != unix.EINTR {
			return err
		}
	}
}
