package worker

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// self is this program, to be executed again.
func self() (string, error) { return "/proc/self/exe", nil }

// beUndumpable has no other process of our user read or change our memory.
func beUndumpable() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
}

func cloexecPair() ([2]int, error) {
	return unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}

func recvmsg(fd int, p, oob []byte) (n, oobn int, err error) {
	n, oobn, _, _, err = unix.Recvmsg(fd, p, oob, unix.MSG_CMSG_CLOEXEC)
	return n, oobn, err
}

// attributes have a worker lead a session, and die with the thread that has
// started it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// emptyFile returns a file in memory.
func emptyFile(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// memoryFile returns a file of these bytes that nobody can change.
func memoryFile(name string, p []byte) (*os.File, error) {
	f, err := emptyFile(name)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(p); err != nil {
		f.Close()
		return nil, err
	}
	const seals = unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		f.Close()
		return nil, os.NewSyscallError("fcntl", err)
	}
	return f, nil
}

// canRaise says that raiseLimits does something.
const canRaise = true

// raiseLimits has a worker have the limits for so many commands.
func raiseLimits(pid int, l hostwasm.Limits, commands int) error {
	for _, limit := range limitsFor(l, commands) {
		var now unix.Rlimit
		err := unix.Prlimit(pid, limit.resource, nil, &now)
		if err == nil {
			now.Cur = min(limit.now, now.Max)
			err = unix.Prlimit(pid, limit.resource, &now, nil)
		}
		if err != nil {
			return os.NewSyscallError("prlimit", err)
		}
	}
	return nil
}

// getReadable asks how many bytes a pipe holds.
const getReadable = unix.TIOCINQ

// wasKilled reports whether a process was ended by SIGKILL.
func wasKilled(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
