//go:build amd64 || arm64

package confine

import (
	"slices"

	"golang.org/x/sys/unix"
)

// namespaces are the flags that make one. Within a user namespace a command had
// all capabilities, and what of the kernel can be attacked only with those.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// refused are calls that no command may make, each group with its reason.
var refused = slices.Concat([]uint32{
	// What reaches into other processes.
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_PROCESS_MADVISE,
	// Keys, which belong to the user and not to a process.
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	// Parts of the kernel that have been broken through often, and that builds don't need.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	// What changes where paths lead to, or opens files without a path.
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_SETNS, unix.SYS_FANOTIFY_INIT,
	// The system as a whole. They take capabilities that we have given up, but for mistakes.
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP, unix.SYS_SYSLOG,
}, oldCalls)

// shared are memory, queues and semaphores that all processes of a user share by
// number or name. Databases and fakeroot use them, so that only Strict refuses them.
var shared = []uint32{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// decided are the calls that are asked about. Listen is one of them since it binds
// a socket that is not bound, to a port of all addresses. Clone3 is one since it
// makes namespaces, and starts processes in any cgroup that the user may write,
// as flags that are in memory say; and since the keeper needs it, which starts
// commands in cgroups.
var decided = []uint32{unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN}

const (
	every      = ^uint32(0)
	socketKind = 0xf // SOCK_TYPE_MASK; the rest are SOCK_CLOEXEC and SOCK_NONBLOCK
	noSuch     = 0xffffffff
)

// calls returns the filter's rules. version is Landlock's.
func calls(r Rules, version int, notify bool) []rule {
	eperm, eacces := fail(unix.EPERM), fail(unix.EACCES)
	self := func(arg int) []test { // 0, which is the caller
		return []test{oneOf(low(arg), every, eperm, 0)}
	}
	others, datagrams := eperm, eacces
	if notify {
		// The broker refuses datagrams as well, but tells its host why no name was found.
		others, datagrams = ask, ask
	}
	thread := []test{oneOf(low(0), every, others, 0)} // 0 is the caller here too
	// Landlock refuses devices too, where there is Landlock. That of number 0, which hides a
	// file of an overlay, takes no capability.
	noDevice := func(mode int) test {
		return oneOf(low(mode), unix.S_IFMT, eperm, 0, unix.S_IFREG, unix.S_IFIFO, unix.S_IFSOCK)
	}
	rules := slices.Concat(
		always(eperm, refused...),
		// Programs try whether the kernel knows these.
		always(fail(unix.ENOSYS), unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER),

		when(unix.SYS_SOCKET, socketTests(r.OpenNet, datagrams)...),
		when(unix.SYS_SOCKETPAIR,
			oneOf(low(0), every, fail(unix.EAFNOSUPPORT), unix.AF_UNIX),
			oneOf(low(1), socketKind, eacces, unix.SOCK_STREAM, unix.SOCK_SEQPACKET)),
		// Fast open connects. Programs go on without when the system has none.
		when(unix.SYS_SENDTO, noneOf(low(3), unix.MSG_FASTOPEN, fail(unix.EOPNOTSUPP))),
		when(unix.SYS_SENDMSG, noneOf(low(2), unix.MSG_FASTOPEN, fail(unix.EOPNOTSUPP))),
		when(unix.SYS_SENDMMSG, noneOf(low(3), unix.MSG_FASTOPEN, fail(unix.EOPNOTSUPP))),

		when(unix.SYS_SETSOCKOPT, options(fail(unix.ENOPROTOOPT))...),

		// Nor a sibling: the keeper would have a child that it did not start.
		when(unix.SYS_CLONE, noneOf(low(0), namespaces|unix.CLONE_PARENT, eperm)),
		when(unix.SYS_UNSHARE, noneOf(low(0), namespaces|unix.CLONE_NEWTIME, eperm)),

		// Of two that are asked, the kernel may hear the one that was there last, and
		// that could have a call go on which we would refuse.
		when(unix.SYS_SECCOMP, noneOf(low(1), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, eperm)),

		// What types into a terminal, or gives it another driver.
		when(unix.SYS_IOCTL, unless(low(1), eperm, unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCCONS, unix.TIOCSETD)),
		// To ask, to be Linux, and as debuggers and gcc want it, at the same addresses each time.
		when(unix.SYS_PERSONALITY, oneOf(low(0), every, eperm, noSuch, 0, addrNoRandomize)),

		// Other processes of the user: Landlock has nothing for these, and a host
		// with no open files, or no time, can't keep anyone from anything.
		when(unix.SYS_PRLIMIT64, eitherSelfOrAsks(eperm)),
		when(unix.SYS_SETPRIORITY, oneOf(low(0), every, eperm, prioProcess, prioGroup), self(1)[0]),
		when(unix.SYS_IOPRIO_SET, oneOf(low(0), every, eperm, ioprioProcess, ioprioGroup), self(1)[0]),
		when(unix.SYS_SCHED_SETAFFINITY, thread...),
		when(unix.SYS_SCHED_SETSCHEDULER, thread...),
		when(unix.SYS_SCHED_SETPARAM, thread...),
		when(unix.SYS_SCHED_SETATTR, thread...),

		when(unix.SYS_MKNODAT, noDevice(2)),
		oldMknod(noDevice(1)),
	)
	if version < 3 {
		rules = append(rules, noTruncate()...)
	}
	if r.Level == Strict {
		rules = append(rules, always(eperm, shared...)...)
	}
	if notify {
		return append(rules, always(ask, append(decided, unix.SYS_CLONE3)...)...)
	}
	// C libraries and Go take clone when there is no clone3.
	rules = append(rules, always(fail(unix.ENOSYS), unix.SYS_CLONE3)...)
	return append(rules, always(eacces, decided...)...)
}

// socketTests are the tests of socket.
func socketTests(openNet bool, datagrams verdict) []test {
	families := oneOf(low(0), every, fail(unix.EAFNOSUPPORT), unix.AF_UNIX, unix.AF_INET, unix.AF_INET6)
	streams := oneOf(low(1), socketKind, fail(unix.EACCES), unix.SOCK_STREAM)
	if openNet {
		return []test{
			families, onlyIf(low(0), unix.AF_UNIX, streams),
			oneOf(low(1), socketKind, fail(unix.EACCES), unix.SOCK_STREAM, unix.SOCK_DGRAM),
			oneOf(low(2), every, fail(unix.EPROTONOSUPPORT), 0, unix.IPPROTO_TCP, unix.IPPROTO_UDP),
		}
	}
	return []test{
		families,
		// A datagram has an address of its own, and so goes round connect; so does
		// one of a pair. Other protocols have calls of their own that connect. Who looks
		// up a name asks for a datagram socket that does not block; others are had for
		// less, as to see which of two addresses there is a route to.
		unless(low(1), datagrams, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC),
		streams,
		oneOf(low(2), every, fail(unix.EPROTONOSUPPORT), 0, unix.IPPROTO_TCP),
	}
}

// refusedOptions are options of sockets that would have a connection go elsewhere, or
// later, than whoever is asked about connect and bind has decided.
var refusedOptions = []struct {
	level uint32
	names []uint32
}{
	// Fast open connects with the first byte that is sent, long after connect.
	{unix.IPPROTO_TCP, []uint32{unix.TCP_FASTOPEN_CONNECT, unix.TCP_FASTOPEN_NO_COOKIE}},
	// What shares a port gets its part of what connects to another program.
	{unix.SOL_SOCKET, []uint32{unix.SO_REUSEPORT, unix.SO_BINDTODEVICE, unix.SO_BINDTOIFINDEX}},
	// Routes and headers of the command's own: a packet to loopback leaves the machine.
	// And a port that is chosen, where the kernel is to choose one.
	{unix.IPPROTO_IP, []uint32{unix.IP_OPTIONS, unix.IP_PKTINFO, unix.IP_UNICAST_IF, unix.IP_LOCAL_PORT_RANGE}},
	{unix.IPPROTO_IPV6, []uint32{
		unix.IPV6_2292PKTINFO, unix.IPV6_2292HOPOPTS, unix.IPV6_2292DSTOPTS, unix.IPV6_2292RTHDR, unix.IPV6_2292PKTOPTIONS,
		unix.IPV6_PKTINFO, unix.IPV6_HOPOPTS, unix.IPV6_RTHDRDSTOPTS, unix.IPV6_RTHDR, unix.IPV6_DSTOPTS, unix.IPV6_UNICAST_IF,
	}},
}

// options are the tests of setsockopt.
func options(v verdict) (tests []test) {
	for _, refused := range refusedOptions {
		tests = append(tests, onlyIf(low(1), refused.level, unless(low(2), v, refused.names...)))
	}
	return tests
}

const (
	addrNoRandomize            = 0x40000 // linux/personality.h
	prioProcess, prioGroup     = 0, 1    // linux/resource.h
	ioprioProcess, ioprioGroup = 1, 2    // linux/ioprio.h
)

// noTruncate is for versions of Landlock that have no right for it: a file that can't
// be written could be emptied, by its name or as it is opened. Ftruncate needs one
// that can, and is what programs call.
func noTruncate() []rule {
	// Of the ways to open, 0 is to read, and 3 neither to read nor to write.
	emptied := func(flags int) test {
		const bits = unix.O_TRUNC | unix.O_ACCMODE
		return oneOf(low(flags), bits, fail(unix.EPERM),
			0, unix.O_WRONLY, unix.O_RDWR, unix.O_ACCMODE, unix.O_TRUNC|unix.O_WRONLY, unix.O_TRUNC|unix.O_RDWR)
	}
	return slices.Concat(
		always(fail(unix.EPERM), unix.SYS_TRUNCATE),
		when(unix.SYS_OPENAT, emptied(2)),
		oldOpen(emptied(1)),
		always(fail(unix.ENOSYS), unix.SYS_OPENAT2), // its flags are in memory
	)
}

// eitherSelfOrAsks is for prlimit64: of the caller, or without new limits.
func eitherSelfOrAsks(otherwise verdict) test {
	return test{
		{Code: opLoad, K: low(0)}, {Code: opEqual, K: 0, Jt: 5},
		{Code: opLoad, K: low(2)}, {Code: opEqual, K: 0, Jf: 2},
		{Code: opLoad, K: high(2)}, {Code: opEqual, K: 0, Jt: 1},
		otherwise.returned(),
	}
}
