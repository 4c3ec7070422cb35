package worker

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// isHeld would report whether a worker that was killed can't end, which the system
// does not say.
func isHeld(int) bool { return true }

// self is this program, to be executed again.
func self() (string, error) { return os.Executable() }

// beUndumpable has nothing to do: only root reads the memory of other processes here.
func beUndumpable() error { return nil }

func cloexecPair() (fds [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if fds, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); err != nil {
		return fds, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	return fds, nil
}

func recvmsg(fd int, p, oob []byte) (n, oobn int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	n, oobn, _, _, err = unix.Recvmsg(fd, p, oob, 0)
	for _, fd := range received(oob[:max(oobn, 0)]) {
		unix.CloseOnExec(fd)
	}
	return n, oobn, err
}

func received(oob []byte) (fds []int) {
	messages, _ := unix.ParseSocketControlMessage(oob)
	for _, m := range messages {
		if some, err := unix.ParseUnixRights(&m); err == nil {
			fds = append(fds, some...)
		}
	}
	return fds
}

// attributes have a worker lead a session. It learns of our death from its socket.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// emptyFile returns a file that has no name.
func emptyFile(string) (*os.File, error) {
	f, err := os.CreateTemp("", "terrarium-module-*")
	if err == nil {
		os.Remove(f.Name())
	}
	return f, err
}

// memoryFile returns a file of these bytes that has no name.
func memoryFile(_ string, p []byte) (*os.File, error) {
	w, err := os.CreateTemp("", "terrarium-module-*")
	if err != nil {
		return nil, err
	}
	defer w.Close()
	defer os.Remove(w.Name())
	if _, err := w.Write(p); err != nil {
		return nil, err
	}
	return os.Open(w.Name()) // to read only
}

// threadStack is nothing here, where the limit of memory does not count what is mapped.
const threadStack = 0

// canRaise says that no process can raise another one's limits here: a worker has
// those for all commands that it may have, from the start.
const canRaise = false

func raiseLimits(int, hostwasm.Limits, int) error { return nil }

// getReadable asks how many bytes a pipe holds: FIONREAD, sys/filio.h.
const getReadable = 0x4004667f

// wasKilled reports whether a process was ended by SIGKILL.
func wasKilled(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
