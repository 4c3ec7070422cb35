//go:build amd64 || arm64 || riscv64 || loong64

package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// Instructions of filters, and what they return: linux/bpf_common.h and
// linux/seccomp.h.
const (
	opLoad   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	opAnd    = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	opReturn = unix.BPF_RET | unix.BPF_K
	opEqual  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	opLeast  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K

	filterAllow  = unix.SECCOMP_RET_ALLOW
	filterKill   = unix.SECCOMP_RET_KILL_PROCESS
	filterAsk    = unix.SECCOMP_RET_USER_NOTIF
	filterRefuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	filterAbsent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// Where struct seccomp_data has what: linux/seccomp.h.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// ownCalls begins a filter: calls of another architecture than ours end here,
// since other numbers mean other calls there. The number of the call is loaded.
func ownCalls() []unix.SockFilter {
	return []unix.SockFilter{
		{Code: opLoad, K: offArch},
		{Code: opEqual, K: auditArch, Jt: 1},
		{Code: opReturn, K: filterKill},
		{Code: opLoad, K: offNumber},
		{Code: opLeast, K: foreignCalls, Jf: 1},
		{Code: opReturn, K: filterAbsent},
	}
}

// denyFilter refuses denied; clone makes threads only, and signals go to our own.
func denyFilter() []unix.SockFilter {
	f := append(ownCalls(), absent(unix.SYS_CLONE3)...)
	f = append(f, rule{unix.SYS_CLONE, []check{threadsOnly}}.program(filterAllow, filterRefuse)...)
	f = append(f, rule{unix.SYS_TGKILL, []check{oneOf(0, uint32(os.Getpid()))}}.program(filterAllow, filterRefuse)...)
	f = append(f, rule{unix.SYS_UTIMENSAT, null(1)}.program(filterAllow, filterRefuse)...)
	for _, call := range denied {
		f = append(f, rule{call: call}.program(filterRefuse, 0)...)
	}
	return append(f, unix.SockFilter{Code: opReturn, K: filterAllow})
}

// absent has a call fail as if the kernel did not know it.
func absent(call uint32) []unix.SockFilter { return rule{call: call}.program(filterAbsent, 0) }

// A rule is a system call, and what its arguments have to be.
type rule struct {
	call uint32
	when []check
}

// A check looks at half of an argument: its bits in mask are one of values.
type check struct {
	offset uint32 // in struct seccomp_data
	mask   uint32
	values []uint32
}

// oneOf has an argument, of which the kernel takes the lower half, be one of values.
func oneOf(arg int, values ...uint32) check { return among(arg, ^uint32(0), values...) }

// among is the same for those bits that are in mask.
func among(arg int, mask uint32, values ...uint32) check {
	// The lower half is first on all architectures that we have filters for.
	return check{uint32(offArgs + 8*arg), mask, values}
}

// null has a pointer be null.
func null(arg int) []check {
	low := oneOf(arg, 0)
	high := low
	high.offset += 4
	return []check{low, high}
}

// threadsOnly has clone make a thread, and no process, as Go, glibc and musl do:
// with all of these flags, some of those for thread storage, and no other.
var threadsOnly = among(0, ^uint32(threadStorage),
	unix.CLONE_VM|unix.CLONE_FS|unix.CLONE_FILES|unix.CLONE_SIGHAND|unix.CLONE_SYSVSEM|unix.CLONE_THREAD)

const threadStorage = unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID | unix.CLONE_DETACHED

// program returns what decides about one call whose number is loaded: it
// returns good where all checks hold and else bad. Other calls go on behind it.
func (r rule) program(good, bad uint32) []unix.SockFilter {
	var body []unix.SockFilter
	for _, c := range r.when {
		body = append(body, unix.SockFilter{Code: opLoad, K: c.offset}, unix.SockFilter{Code: opAnd, K: c.mask})
		for i, v := range c.values {
			body = append(body, unix.SockFilter{Code: opEqual, K: v, Jt: uint8(len(c.values) - i)})
		}
		body = append(body, unix.SockFilter{Code: opReturn, K: bad})
	}
	body = append(body, unix.SockFilter{Code: opReturn, K: good})
	return append([]unix.SockFilter{{Code: opEqual, K: r.call, Jf: uint8(len(body))}}, body...)
}
