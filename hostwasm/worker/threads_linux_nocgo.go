//go:build linux && !cgo

package worker

import "syscall"

// threadStack is what counts of the stack of a thread: Go's are a part of its heap.
const threadStack = 0

// onAllThreads makes a system call in all threads of this process. Go panics
// where it fails in some of them only.
func onAllThreads(number, a, b uintptr) error {
	if _, _, errno := syscall.AllThreadsSyscall(number, a, b, 0); errno != 0 {
		return errno
	}
	return nil
}
