package wasi

import (
	"errors"
	"strconv"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// An Exit is how a guest ends that called proc_exit.
type Exit struct {
	Code uint32
}

func (e *Exit) Error() string { return "exit " + strconv.FormatUint(uint64(e.Code), 10) }

// A Raised is how a guest ends that called proc_raise with a signal whose
// default is to end.
type Raised struct {
	Signal string // "SIGABRT"
}

func (e *Raised) Error() string { return "raised " + e.Signal }

// A Limit is how a guest ends that used up what it may.
type Limit struct {
	Reason core.Reason
}

func (e *Limit) Error() string { return "limit exceeded: " + string(e.Reason) }

// An end wraps the error with which a function ends the guest, where others
// are answers to it.
type end struct{ error }

// asErrno makes an answer of whatever a Files or Spawner returned.
func asErrno(err error) error {
	switch e := err.(type) {
	case nil:
		return nil
	case errno.Errno:
		return e
	}
	return unwrapErrno(err)
}

func unwrapErrno(err error) error {
	if e := errno.SUCCESS; errors.As(err, &e) {
		return e
	}
	if errors.Is(err, engine.ErrWait) {
		return engine.ErrWait
	}
	return errno.IO
}

// signals are those of proc_raise that end a process unless it handles them,
// by WASI's numbers. The others do nothing, or stop it, which is not possible
// here.
var signals = [...]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
	9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
	23: "SIGXCPU", 24: "SIGXFSZ", 25: "SIGVTALRM", 26: "SIGPROF", 28: "SIGPOLL", 29: "SIGPWR", 30: "SIGSYS",
}

// proc_exit(code)
func procExit(p *Process, _ memory, a []uint64) error {
	return end{&Exit{Code: uint32(a[0])}}
}

// proc_raise(signal)
func procRaise(p *Process, _ memory, a []uint64) error {
	const chld, cont, stop, ttou, urg, winch = 16, 17, 18, 21, 22, 27
	switch s := uint32(a[0]); {
	case s >= uint32(len(signals)):
		return errno.INVAL
	case s == 0, s == chld, s == cont, s == urg, s == winch:
		return nil
	case s >= stop && s <= ttou:
		return errno.NOTSUP
	default:
		return end{&Raised{Signal: signals[s]}}
	}
}
