//go:build unix

package main

import (
	"os"
	"os/signal"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// openNoFollow has os.OpenFile fail for a symbolic link.
const openNoFollow = unix.O_NOFOLLOW

// inForeground reports whether the terminal f is ours at the moment, as the
// shell's job control sees it.
func inForeground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// notifyResize has c receive whenever our terminal changes its size.
func notifyResize(c chan<- os.Signal) { signal.Notify(c, unix.SIGWINCH) }

// signalNumber returns the number of a signal by its name, or by its number as
// in "SIG34"; 0 if there is none.
func signalNumber(name string) int {
	if n := unix.SignalNum(name); n != 0 {
		return int(n)
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(name, "SIG"))
	return n
}

// openFiles returns how many files we may have open at once; 0 if unknown.
func openFiles() uint64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return limit.Cur
}
