//go:build amd64 || arm64

package confine

import (
	"os"
	"unsafe"

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
	opAny    = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
)

// A verdict is what a filter returns.
type verdict uint32

const (
	allow verdict = unix.SECCOMP_RET_ALLOW
	kill  verdict = unix.SECCOMP_RET_KILL_PROCESS
	ask   verdict = unix.SECCOMP_RET_USER_NOTIF
)

// fail has a call return an error.
func fail(errno unix.Errno) verdict { return verdict(unix.SECCOMP_RET_ERRNO | uint32(errno)) }

// Where struct seccomp_data has what: linux/seccomp.h.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// low and high are the halves of an argument. Both architectures have the lower first.
func low(arg int) uint32  { return uint32(offArgs + 8*arg) }
func high(arg int) uint32 { return low(arg) + 4 }

// A rule decides about one call.
type rule struct {
	call uint32
	body []unix.SockFilter // ends with a return; nothing else of it leaves the body
}

func (v verdict) returned() unix.SockFilter { return unix.SockFilter{Code: opReturn, K: uint32(v)} }

// always has a verdict for a call whatever its arguments are.
func always(v verdict, calls ...uint32) []rule {
	var rules []rule
	for _, call := range calls {
		rules = append(rules, rule{call, []unix.SockFilter{v.returned()}})
	}
	return rules
}

// A test is about a half of an argument; its instructions end by returning a
// verdict, or with what is behind them.
type test []unix.SockFilter

// oneOf goes on if those bits of a half that are in mask are one of values.
func oneOf(half, mask uint32, otherwise verdict, values ...uint32) test {
	t := test{{Code: opLoad, K: half}, {Code: opAnd, K: mask}}
	for i, v := range values {
		t = append(t, unix.SockFilter{Code: opEqual, K: v, Jt: uint8(len(values) - i)})
	}
	return append(t, otherwise.returned())
}

// noneOf goes on if no bit of a half is in mask.
func noneOf(half, mask uint32, otherwise verdict) test {
	return test{{Code: opLoad, K: half}, {Code: opAny, K: mask, Jf: 1}, otherwise.returned()}
}

// unless returns a verdict if a half is one of values.
func unless(half uint32, v verdict, values ...uint32) test {
	t := test{{Code: opLoad, K: half}}
	for i, value := range values {
		t = append(t, unix.SockFilter{Code: opEqual, K: value, Jt: uint8(len(values) - i)})
	}
	return append(t, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: 1}, v.returned())
}

// onlyIf tests only if a half is a value.
func onlyIf(half, value uint32, then test) test {
	return append(test{{Code: opLoad, K: half}, {Code: opEqual, K: value, Jf: uint8(len(then))}}, then...)
}

// when allows a call if all tests go on.
func when(call uint32, tests ...test) []rule {
	r := rule{call: call}
	for _, t := range tests {
		r.body = append(r.body, t...)
	}
	r.body = append(r.body, allow.returned())
	return []rule{r}
}

// program returns a filter that decides by rules, and allows what there is none for.
func program(rules []rule) []unix.SockFilter {
	f := []unix.SockFilter{
		{Code: opLoad, K: offArch},
		{Code: opEqual, K: auditArch, Jt: 1},
		kill.returned(), // other numbers mean other calls there
		{Code: opLoad, K: offNumber},
		{Code: opLeast, K: x32Calls, Jf: 1},
		fail(unix.ENOSYS).returned(),
	}
	for _, r := range rules {
		f = append(f, unix.SockFilter{Code: opEqual, K: r.call, Jf: uint8(len(r.body))})
		f = append(f, r.body...)
	}
	return append(f, allow.returned())
}

// x32Calls is where the numbers of calls begin that amd64 has a second time, for
// programs with short pointers. arm64 has none there.
const x32Calls = 1 << 30

// setFilter gives the calling thread a filter. With flags it may return a file.
func setFilter(f []unix.SockFilter, flags uintptr) (fd int, err error) {
	p := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	result, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&p)))
	if errno != 0 {
		return -1, os.NewSyscallError("seccomp", errno)
	}
	return int(result), nil
}

// listen gives it one whose verdict may be to ask, and returns where to answer.
func listen(f []unix.SockFilter) (fd int, err error) {
	// Once the question is read, only what kills the command takes it back. Else a
	// signal had the call begin again that somebody makes for it: a second connect.
	fd, err = setFilter(f, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	if err != nil && errnoOf(err) == unix.EINVAL { // before Linux 5.19
		fd, err = setFilter(f, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	}
	return fd, err
}
