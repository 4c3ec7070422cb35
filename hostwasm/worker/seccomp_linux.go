//go:build amd64 || arm64

package worker

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refused are the system calls that fail with EPERM in a worker: each would
// start a program, reach another process or the network, or change the system,
// or is a large part of the kernel that a worker has no use for.
var refused = append([]uint32{
	unix.SYS_EXECVE, unix.SYS_EXECVEAT,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP,
	unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL,
	unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN,
	unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_SENDTO, unix.SYS_SENDMMSG,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_MKNODAT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_IO_SETUP, unix.SYS_IO_SUBMIT,
	unix.SYS_FANOTIFY_INIT, unix.SYS_INOTIFY_INIT1, unix.SYS_VMSPLICE,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_PERSONALITY,
	unix.SYS_SETUID, unix.SYS_SETGID, unix.SYS_SETREUID, unix.SYS_SETREGID, unix.SYS_SETRESUID, unix.SYS_SETRESGID,
	unix.SYS_SETGROUPS, unix.SYS_CAPSET, unix.SYS_PRLIMIT64, unix.SYS_SETRLIMIT, unix.SYS_SETPRIORITY,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN,
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_MBIND, unix.SYS_SET_MEMPOLICY,
}, refusedHere...)

// giveUpCalls has the system refuse what no worker needs, from now on and in
// all threads.
func giveUpCalls() []Measure {
	runtime.LockOSThread() // which gives up privileges; the filter's TSYNC is for the others
	defer runtime.UnlockOSThread()
	err := os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	measures := []Measure{measure("no_new_privs", err, "a worker gets no more rights")}
	if err == nil {
		err = setFilter(filter(refused))
	}
	return append(measures, measure("seccomp", err, fmt.Sprint(len(refused), " system calls refused, new processes too")))
}

func setFilter(program []unix.SockFilter) error {
	p := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&p)))
	switch {
	case errno != 0:
		return os.NewSyscallError("seccomp", errno)
	case r != 0:
		return fmt.Errorf("seccomp: thread %d can't be given the filter", r)
	}
	return nil
}

// Where struct seccomp_data has what: linux/seccomp.h. Arguments are 64 bits,
// of which the lower half is first on both architectures.
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
)

// filter returns the program that refuses calls; clone makes threads only, and
// signals go to our own.
func filter(calls []uint32) []unix.SockFilter {
	const (
		load = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		ret  = unix.BPF_RET | unix.BPF_K
		jeq  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		jge  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		jset = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K

		allow  = unix.SECCOMP_RET_ALLOW
		refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	)
	f := []unix.SockFilter{
		{Code: load, K: offArch},
		{Code: jeq, K: auditArch, Jt: 1},
		{Code: ret, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: offNumber},
		{Code: jge, K: foreignCalls, Jf: 1},
		{Code: ret, K: refuse},
		// C libraries then use clone, whose flags can be seen.
		{Code: jeq, K: unix.SYS_CLONE3, Jf: 1},
		{Code: ret, K: absent},
		{Code: jeq, K: unix.SYS_CLONE, Jf: 4},
		{Code: load, K: offArg0},
		{Code: jset, K: unix.CLONE_THREAD, Jf: 1},
		{Code: ret, K: allow},
		{Code: ret, K: refuse},
		{Code: jeq, K: unix.SYS_TGKILL, Jf: 4},
		{Code: load, K: offArg0},
		{Code: jeq, K: uint32(os.Getpid()), Jf: 1},
		{Code: ret, K: allow},
		{Code: ret, K: refuse},
	}
	for i, call := range calls {
		f = append(f, unix.SockFilter{Code: jeq, K: call, Jt: uint8(len(calls) - i)})
	}
	return append(f,
		unix.SockFilter{Code: ret, K: allow},
		unix.SockFilter{Code: ret, K: refuse})
}
