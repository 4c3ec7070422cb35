//go:build linux || darwin

package tree

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxSignal is the highest number that a signal has (_NSIG of Linux; others have fewer).
const maxSignal = 64

// SignalNumber returns the signal of a POSIX name, or of SIG and a number where there is
// no name: "SIG34". ok is false for other names, and
// for "SIG0", which is no signal.
func SignalNumber(name string) (sig unix.Signal, ok bool) {
	if sig := unix.SignalNum(name); sig != 0 {
		return sig, true
	}
	digits, ok := strings.CutPrefix(name, "SIG")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 7)
	return unix.Signal(n), err == nil && n > 0 && n <= maxSignal
}

// SignalName is the inverse of SignalNumber.
func SignalName(sig unix.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return "SIG" + strconv.Itoa(int(sig))
}
