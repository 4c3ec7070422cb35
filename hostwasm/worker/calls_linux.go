//go:build amd64 || arm64

package worker

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A worker's filter asks us, who are its host, about two kinds of system calls:
// that start a thread, and that are not on its list. The kernel says which it
// was and waits for our answer, and only we can give it: a worker that was taken
// over can't pretend anything, and has ENOSYS when we are gone.
//
// https://man7.org/linux/man-pages/man2/seccomp_unotify.2.html

// maxThreads is how many threads a worker may have. An honest one has one for
// each processor, and for each guest that waits in a file system or, on
// wasmtime, waits at all: at most 256 of those.
const maxThreads = 1024

// A callsWatch answers for one worker.
type callsWatch struct {
	pid     int
	started int // threads since they were last counted, and what was counted then
	refused int // calls
	told    func(call string)
}

// watchCalls answers for a worker until its end.
func (c *child) watchCalls() {
	w := callsWatch{pid: c.process.Pid, started: threads(c.process.Pid), told: c.host.refusedCall}
	w.watch(c.calls)
}

// A notification is struct seccomp_notif: linux/seccomp.h.
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	data  struct {
		number int32
		arch   uint32
		ip     uint64
		args   [6]uint64
	}
}

// A callAnswer is struct seccomp_notif_resp.
type callAnswer struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// watch answers what comes from calls until the worker has ended, or calls is
// closed.
func (w *callsWatch) watch(calls *os.File) {
	raw, err := calls.SyscallConn()
	if err != nil {
		return
	}
	for more := true; more && err == nil; {
		// Read waits when we say that there was nothing.
		err = raw.Read(func(fd uintptr) bool {
			var ready bool
			if ready, more = hasCall(int(fd)); ready {
				more = w.answer(fd)
			}
			return ready || !more
		})
	}
}

// hasCall asks whether there is a call. To receive one would wait otherwise, and
// where the worker has ended, for ever.
func hasCall(fd int) (ready, more bool) {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	_, err := unix.Poll(p, 0)
	switch {
	case err == unix.EINTR:
		return hasCall(fd)
	case err != nil:
		return false, false
	case p[0].Revents&unix.POLLIN != 0:
		return true, true
	}
	return false, p[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) == 0
}

// answer answers one call.
func (w *callsWatch) answer(fd uintptr) (more bool) {
	var n notification
	switch _, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n))); errno {
	case 0:
	case unix.ENOENT, unix.EINTR: // it was interrupted, and comes again
		return true
	default:
		return false
	}
	a := callAnswer{id: n.id}
	if errno := w.decide(&n); errno != 0 {
		a.errno = -int32(errno)
	} else {
		a.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&a)))
	// With these, nobody waits for the call any longer.
	return errno == 0 || errno == unix.ENOENT || errno == unix.EINTR
}

// patientCalls is how many refused calls are answered at once. A worker that
// makes more is not ours any longer: it waits, so that it does not take our time.
const patientCalls = 64

// decide returns 0 if the kernel is to go on with a call. What decides is in
// registers, which nobody can change while we look.
func (w *callsWatch) decide(n *notification) syscall.Errno {
	if n.data.number == unix.SYS_CLONE && threadsOnly.holds(n.data.args) {
		return w.thread()
	}
	if w.refused++; w.refused > patientCalls {
		time.Sleep(time.Millisecond)
	}
	w.told(callName(int(n.data.number)))
	for _, r := range allowed() {
		if r.call == uint32(n.data.number) {
			return unix.EPERM // not with these arguments
		}
	}
	return unix.ENOSYS
}

// holds is for args what the filter's check is.
func (c check) holds(args [6]uint64) bool {
	arg := uint32(args[(c.offset-offArgs)/8])
	for _, v := range c.values {
		if arg&c.mask == v {
			return true
		}
	}
	return false
}

// thread counts a thread that is to be started. They are few: those that have
// ended are found only when there seem to be too many.
func (w *callsWatch) thread() syscall.Errno {
	if w.started >= maxThreads {
		w.started = threads(w.pid)
	}
	if w.started >= maxThreads {
		time.Sleep(time.Millisecond) // as for calls that are refused
		return unix.EAGAIN
	}
	w.started++
	return 0
}

// threads counts the threads of a process. Where it can't, there are too many.
func threads(pid int) int {
	var s unix.Stat_t
	if unix.Stat(fmt.Sprintf("/proc/%d/task", pid), &s) != nil {
		return maxThreads
	}
	return int(s.Nlink) - 2 // but for . and ..
}

// callName returns the name of a system call. Those without a name have one
// together: a worker that was taken over would have us tell of each number.
func callName(number int) string {
	if name, ok := callNumbers()[number]; ok {
		return name
	}
	return "without a name"
}

// callNumbers reads callNames.
var callNumbers = sync.OnceValue(func() map[int]string {
	names := make(map[int]string)
	number := 0
	for _, s := range strings.Fields(callNames) {
		if n, err := strconv.Atoi(s); err == nil {
			number = n
			continue
		}
		names[number] = s
		number++
	}
	return names
})
