//go:build linux || darwin

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// keepsColumn reports whether f is a terminal that stays in its column at a newline, as a raw one
// does: OPOST and ONLCR of termios(3).
func keepsColumn(f *os.File) bool {
	const returns = unix.OPOST | unix.ONLCR
	t, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	return err == nil && t.Oflag&returns != returns
}

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
