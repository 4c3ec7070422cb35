//go:build amd64 || arm64

package worker

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// allowed are the system calls that a worker may make, by whom they are for.
// Whoever adds one says in its group what needs it, and asks what a worker
// could do with it that does not do what it was made for: nothing here reaches
// another process, changes what is known of a file, or makes a descriptor of a
// new kind. Files by name are Landlock's matter.
func allowed() []rule {
	return append([]rule{
		// Go's runtime, and glibc and musl in a build with cgo: threads.
		{unix.SYS_CLONE, []check{threadsOnly}},
		{call: unix.SYS_EXIT}, {call: unix.SYS_EXIT_GROUP}, {call: unix.SYS_GETPID}, {call: unix.SYS_GETTID},
		{call: unix.SYS_FUTEX}, {call: unix.SYS_SCHED_YIELD}, {call: unix.SYS_SCHED_GETAFFINITY},
		{call: unix.SYS_RSEQ}, {call: unix.SYS_SET_ROBUST_LIST},
		{unix.SYS_PRCTL, []check{oneOf(0, unix.PR_SET_NAME, unix.PR_SET_VMA)}},
		// Signals, to threads of ours only.
		{unix.SYS_TGKILL, []check{oneOf(0, uint32(os.Getpid()))}},
		{call: unix.SYS_RT_SIGACTION}, {call: unix.SYS_RT_SIGPROCMASK}, {call: unix.SYS_RT_SIGRETURN},
		{call: unix.SYS_SIGALTSTACK}, {call: unix.SYS_RESTART_SYSCALL},
		// Memory. Code is written first and executable then, by mprotect, never both.
		{unix.SYS_MMAP, []check{notExecutable}}, {unix.SYS_MPROTECT, []check{notBoth}},
		{call: unix.SYS_MUNMAP}, {call: unix.SYS_MREMAP}, {call: unix.SYS_MADVISE}, {call: unix.SYS_BRK},
		{call: unix.SYS_MEMFD_CREATE},
		// Time, where the kernel does not give it without a call.
		{call: unix.SYS_CLOCK_GETTIME}, {call: unix.SYS_CLOCK_GETRES}, {call: unix.SYS_GETTIMEOFDAY},
		{call: unix.SYS_NANOSLEEP}, {call: unix.SYS_CLOCK_NANOSLEEP},
		// What we are, where programs take an error for a number, and have used.
		{call: unix.SYS_GETUID}, {call: unix.SYS_GETEUID}, {call: unix.SYS_GETGID}, {call: unix.SYS_GETEGID}, {call: unix.SYS_GETPPID},
		{call: unix.SYS_GETRUSAGE}, {call: unix.SYS_GETRANDOM},
		{unix.SYS_PRLIMIT64, append(null(2), oneOf(0, 0))}, // to ask, and of us
		// Descriptors.
		{call: unix.SYS_READ}, {call: unix.SYS_WRITE},
		{call: unix.SYS_PREAD64}, {call: unix.SYS_PWRITE64}, {call: unix.SYS_LSEEK}, {call: unix.SYS_CLOSE},
		{unix.SYS_FCNTL, []check{oneOf(1, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL,
			unix.F_ADD_SEALS, unix.F_GET_SEALS)}}, // not F_SETOWN and F_SETSIG, which send signals
		{call: unix.SYS_EPOLL_CREATE1}, {call: unix.SYS_EPOLL_CTL}, {call: unix.SYS_EPOLL_PWAIT},
		{call: unix.SYS_EVENTFD2}, {call: unix.SYS_PIPE2},
		// The socket to the host. What we say is written.
		{call: unix.SYS_RECVMSG},
		// hostwasm/vfs: files of the guests.
		{call: unix.SYS_OPENAT}, {call: unix.SYS_OPENAT2}, {call: unix.SYS_GETDENTS64},
		{call: unix.SYS_FSTAT}, {call: unix.SYS_NEWFSTATAT}, {call: unix.SYS_STATX}, {call: unix.SYS_FSTATFS},
		{call: unix.SYS_READLINKAT}, {call: unix.SYS_SYMLINKAT}, {call: unix.SYS_LINKAT}, {call: unix.SYS_UNLINKAT},
		{call: unix.SYS_MKDIRAT}, {call: unix.SYS_RENAMEAT},
		{call: unix.SYS_FTRUNCATE}, {call: unix.SYS_FALLOCATE}, {call: unix.SYS_FSYNC}, {call: unix.SYS_FDATASYNC},
		// It is of a descriptor: Landlock has no right for times, so there may be no name.
		{unix.SYS_UTIMENSAT, null(1)},
		// What we give up later than these calls.
		{call: unix.SYS_SECCOMP}, {call: unix.SYS_SENDMSG}, // until lastFilter
		{call: unix.SYS_LANDLOCK_CREATE_RULESET}, {call: unix.SYS_LANDLOCK_ADD_RULE}, {call: unix.SYS_LANDLOCK_RESTRICT_SELF},
	}, allowedHere...)
}

// notBoth has memory be executable, or writable, or neither. That holds for one
// mapping. Two of one file, or a mapping of it and write, get around it, and what
// mprotect is called for, a filter can't see.
var notBoth = among(2, unix.PROT_WRITE|unix.PROT_EXEC, 0, unix.PROT_WRITE, unix.PROT_EXEC)

// notExecutable has memory not be executable from the start: no engine needs it,
// and it would run code out of a file in one step.
var notExecutable = among(2, unix.PROT_WRITE|unix.PROT_EXEC, 0, unix.PROT_WRITE)

// allowFilter returns the program that allows what is on the list. It returns
// other for calls that are not, and clone where it makes a thread.
func allowFilter(clone, other uint32) []unix.SockFilter {
	// C libraries then use clone, whose flags can be seen.
	f := append(ownCalls(), absent(unix.SYS_CLONE3)...)
	// A program that links nats-server has its package pse in the worker, too. That asks once how
	// long the system runs, a second after the start, and never again where it gets no answer. It
	// is no attack that somebody needs to hear of.
	f = append(f, absent(unix.SYS_SYSINFO)...)
	var plain []unix.SockFilter
	for _, r := range allowed() {
		switch {
		case r.call == unix.SYS_CLONE:
			f = append(f, r.program(clone, other)...)
		case r.call == unix.SYS_UTIMENSAT: // vfs tries it with a name, too
			f = append(f, r.program(filterAllow, filterRefuse)...)
		case len(r.when) > 0:
			f = append(f, r.program(filterAllow, other)...)
		default:
			plain = append(plain, r.program(filterAllow, 0)...)
		}
	}
	f = append(f, plain...)
	return append(f, unix.SockFilter{Code: opReturn, K: other})
}

// lastFilter refuses what keepToList itself needs. What breaks out can't add any
// filter, nor send descriptors. Linux counts those that were sent and not taken,
// all of a user's together, and where they are more than a process may have open,
// it lets that process send none: one worker would keep all others from starting.
func lastFilter() []unix.SockFilter {
	f := append(ownCalls(), absent(unix.SYS_SECCOMP)...)
	f = append(f, absent(unix.SYS_SENDMSG)...)
	return append(f, unix.SockFilter{Code: opReturn, K: filterAllow})
}

// oldest is the Linux that the list was made for, and later ones. Before it,
// packages of ours do without openat2, and with other calls instead.
const oldest = "5.6"

// listApplies says why our list may not be that of this system.
func listApplies() error {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return os.NewSyscallError("uname", err)
	}
	release := unix.ByteSliceToString(u.Release[:])
	var major, minor, oldMajor, oldMinor int
	fmt.Sscanf(oldest, "%d.%d", &oldMajor, &oldMinor)
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil || major < oldMajor || major == oldMajor && minor < oldMinor {
		return fmt.Errorf("the list of those that a worker needs is for Linux %s and later, this is %s", oldest, release)
	}
	return nil
}

// listen gives the calling thread a filter that may ask, and returns the file where to answer.
func listen(program []unix.SockFilter) (fd uintptr, err error) {
	// Once the question is read, only what kills the worker takes it back. Else a signal, such as
	// those by which Go's runtime stops threads, has the call begin again and be counted twice.
	fd, err = setFilter(program, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	if errors.Is(err, unix.EINVAL) { // before Linux 5.19
		fd, err = setFilter(program, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	}
	return fd, err
}

// errTell is why keepToList fails when the host can't be told.
var errTell = errors.New("the host is gone")

// keepToList keeps all threads to the list. noWatch says why the host does not
// learn of other calls.
//
// The filter comes to this thread first, then its file to the host, and then
// the filter to the other threads. Were they filtered before the host has the
// file, one of them could start a thread and wait for the host's answer, while
// it holds what this goroutine needs to send the file (Go's only P): for ever.
func keepToList(tell func(calls *os.File) error) (noWatch, err error) {
	fd := uintptr(0)
	noWatch = errors.New("nobody counts them")
	if tell != nil {
		fd, noWatch = listen(allowFilter(filterAsk, filterAsk))
	}
	if noWatch != nil {
		if err := syncFilter(allowFilter(filterAllow, filterAbsent)); err != nil {
			return noWatch, err
		}
		return noWatch, syncFilter(lastFilter())
	}
	calls := os.NewFile(fd, "calls")
	err = tell(calls)
	calls.Close()
	if err != nil {
		return errTell, fmt.Errorf("its filter's file can't be sent: %w", err)
	}
	return nil, syncFilter(lastFilter())
}
