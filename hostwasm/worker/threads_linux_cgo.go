//go:build linux && cgo

package worker

/*
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The call that each thread is to make, in a handler of a signal. One thread at
// a time makes it: failed is then its errno, or 0.
static struct {
	long number, a, b;
	int failed, done;
} call;

static void make_call(int sig) {
	int before = errno;
	call.failed = syscall(call.number, call.a, call.b) < 0 ? errno : 0;
	__atomic_store_n(&call.done, 1, __ATOMIC_RELEASE);
	errno = before;
}

static struct sigaction before;

// prepare_call says which call make_call makes.
static int prepare_call(long number, long a, long b) {
	struct sigaction action;
	memset(&action, 0, sizeof action);
	action.sa_handler = make_call;
	action.sa_flags = SA_ONSTACK | SA_RESTART; // the stack of a goroutine may be small
	sigfillset(&action.sa_mask);
	call.number = number, call.a = a, call.b = b;
	return sigaction(SIGRTMIN, &action, &before) < 0 ? errno : 0;
}

// call_on has a thread of this process make the call, and returns its errno: 0
// also if the thread has ended.
static int call_on(long process, long thread) {
	call.failed = call.done = 0;
	int alive = syscall(SYS_tgkill, process, thread, SIGRTMIN) == 0;
	while (alive && !__atomic_load_n(&call.done, __ATOMIC_ACQUIRE)) {
		sched_yield();
		alive = syscall(SYS_tgkill, process, thread, 0) == 0;
	}
	return call.failed;
}

static void finish_call(void) { sigaction(SIGRTMIN, &before, 0); }
*/
import "C"

import (
	"os"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// threadStack is what C libraries take for the stack of a thread, in bytes.
const threadStack = 8 << 20

var calling sync.Mutex // guards call, above

// onAllThreads makes a system call in all threads of this process, also in those
// that Go knows nothing of. The error is that of the first one that failed, and
// what the others are then is open. a and b are no pointers that may move.
//
// Go has syscall.AllThreadsSyscall only for programs without cgo. So each
// thread is sent a signal, whose handler makes the call: the first one that C
// libraries leave to programs, and that Go keeps open in all threads. A thread
// that is started meanwhile has what its parent had. Hence we look at the list
// of threads until there are no new ones: then all that were on it before had
// made the call, and whatever they start now has done so too.
func onAllThreads(number, a, b uintptr) error {
	calling.Lock()
	defer calling.Unlock()
	// It stays open, since nothing may be opened there when we have given up files.
	list, err := unix.Open("/proc/self/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("open /proc/self/task", err)
	}
	defer unix.Close(list)
	if errno := C.prepare_call(C.long(number), C.long(a), C.long(b)); errno != 0 {
		return os.NewSyscallError("sigaction", syscall.Errno(errno))
	}
	defer C.finish_call()
	process := os.Getpid()
	made := make(map[int]bool)
	for {
		threads, whole, err := listThreads(list)
		if err != nil {
			return err
		}
		more := !whole
		for _, thread := range threads {
			if made[thread] {
				continue
			}
			made[thread], more = true, true
			if errno := C.call_on(C.long(process), C.long(thread)); errno != 0 {
				return syscall.Errno(errno)
			}
		}
		if !more {
			return nil
		}
	}
}

// listThreads returns the threads that the open directory list has. It is whole
// if they are as many as the kernel counts: when one ends meanwhile, the kernel
// leaves out others.
func listThreads(list int) (threads []int, whole bool, err error) {
	if _, err := unix.Seek(list, 0, unix.SEEK_SET); err != nil {
		return nil, false, os.NewSyscallError("lseek", err)
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := unix.Getdents(list, buf)
		if err != nil {
			return nil, false, os.NewSyscallError("getdents64", err)
		}
		if n == 0 {
			break
		}
		_, _, names := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			if thread, err := strconv.Atoi(name); err == nil {
				threads = append(threads, thread)
			}
		}
	}
	var s unix.Stat_t
	if err := unix.Fstat(list, &s); err != nil {
		return nil, false, os.NewSyscallError("fstat", err)
	}
	return threads, len(threads) == int(s.Nlink)-2, nil // but for . and ..
}
