package tree

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// waitExit asks waitid(2) how a child has ended, and leaves its zombie. With
// unix.WNOHANG in options ended is false where it has not; without, it blocks
// together with its thread. unix.ECHILD means that there is no such child.
func waitExit(idType, id, options int) (exit core.Exit, ended bool, err error) {
	var (
		info  unix.Siginfo
		usage unix.Rusage // of the child and of what it has waited for
	)
	for {
		err = unix.Waitid(idType, id, &info, unix.WEXITED|unix.WNOWAIT|options, &usage)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil || info.Signo == 0 {
		return core.Exit{}, false, err
	}
	exit = core.Exit{
		Status: exitStatus(info.Code, siginfoStatus(&info)),
		Usage: core.Usage{
			UserTime:   time.Duration(usage.Utime.Nano()),
			SystemTime: time.Duration(usage.Stime.Nano()),
			MaxRSS:     int64(usage.Maxrss) << 10, // from KiB
		},
	}
	return exit, true, nil
}

// siginfoStatus returns si_status, which package unix hides: it is the third
// word of the union after si_signo, si_errno and si_code, and the union is
// aligned like a pointer (see sigaction(2), and asm-generic/siginfo.h).
func siginfoStatus(info *unix.Siginfo) int32 {
	const (
		word   = unsafe.Sizeof(uintptr(0))
		union  = (3*4 + word - 1) / word * word
		status = union + 2*4
	)
	return *(*int32)(unsafe.Add(unsafe.Pointer(info), status))
}
