//go:build linux || darwin

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// setSignalKeys has ^C, ^\ and ^Z at a terminal send us signals, or be keys like others: ISIG of
// termios(3). What was typed before can still be read. It fails only where the terminal is gone.
func setSignalKeys(f *os.File, on bool) {
	fd := int(f.Fd())
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return
	}
	t.Lflag &^= unix.ISIG
	if on {
		t.Lflag |= unix.ISIG
	}
	_ = unix.IoctlSetTermios(fd, setTermios, t)
}
