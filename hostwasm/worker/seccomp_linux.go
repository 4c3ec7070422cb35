//go:build amd64 || arm64 || riscv64 || loong64

package worker

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// giveUpCalls has the system refuse what no worker needs, from now on and in
// all threads. What a worker may call is a list; calls that are not on it fail
// with ENOSYS. tell sends the host a file, from which it learns of those calls,
// and of each new thread; then it may refuse that one too. If tell is nil, or
// the system knows no such file, they fail all the same, and threads have no
// bound. The error is tell's.
func giveUpCalls(tell func(calls *os.File) error) ([]Measure, error) {
	runtime.LockOSThread() // which gives up privileges; TSYNC is for the others
	defer runtime.UnlockOSThread()
	err := os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	measures := []Measure{measure("no_new_privs", err, "a worker gets no more rights"), capabilitiesMeasure()}
	if err != nil {
		return append(measures, measure("seccomp", err, "")), nil
	}
	var noWatch error
	if err = listApplies(); err == nil {
		if noWatch, err = keepToList(tell); noWatch == errTell {
			return nil, err
		}
	}
	if err != nil {
		return append(measures, measure("seccomp", denyCalls(err), ""), measure("threads", err, "")), nil
	}
	return append(measures,
		measure("seccomp", nil, fmt.Sprintf("%d system calls allowed, all others refused and named", len(allowed()))),
		measure("threads", noWatch, fmt.Sprintf("at most %d in a worker", maxThreads))), nil
}

// denyCalls is for systems that our list was not made for. It always returns
// an error: what is missing, and why.
func denyCalls(why error) error {
	if err := syncFilter(denyFilter()); err != nil {
		return err
	}
	return fmt.Errorf("%d system calls refused, all others allowed: %w", len(denied), why)
}

// setFilter gives the calling thread a filter. With flags it may return a file.
func setFilter(program []unix.SockFilter, flags uintptr) (result uintptr, err error) {
	p := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	result, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&p)))
	if errno != 0 {
		return 0, os.NewSyscallError("seccomp", errno)
	}
	return result, nil
}

// syncFilter gives all threads a filter, and those that the calling thread has.
func syncFilter(program []unix.SockFilter) error {
	thread, err := setFilter(program, unix.SECCOMP_FILTER_FLAG_TSYNC)
	if err == nil && thread != 0 {
		err = fmt.Errorf("seccomp: thread %d can't be given the filter", thread)
	}
	return err
}
