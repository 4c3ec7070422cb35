//go:build linux || darwin

package hostnative

import "golang.org/x/sys/unix"

// Raw reports whether the command reads carriage return as it is typed, as
// programs do that draw their own screen. At first, and for those that read
// lines, the pty turns it into newline (ICRNL of termios(3)). It is false for
// a command without a pty and for one that is closed.
func (p *process) Raw() (raw bool) {
	if p.io.tty == nil {
		return false
	}
	p.onTTY(func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, getTermios)
		raw = err == nil && t.Iflag&unix.ICRNL == 0
		return err
	})
	return raw
}

// Foreground reports whether the command itself has its terminal, and not a
// job that it has started: for a shell, whether it is at its prompt or runs
// what it has built in (tcgetpgrp(3)).
func (p *process) Foreground() (own bool) {
	if p.io.tty == nil {
		return false
	}
	p.onTTY(func(fd int) error {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		own = err == nil && group == p.Pid()
		return err
	})
	return own
}
