//go:build linux || darwin

package hostnative

import (
	"errors"
	"fmt"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// openPty connects standard output and error to a new pty, and standard input
// too. If nobody is going to type, a command that reads its terminal would wait
// for ever: its input is /dev/null then, and its output is open for writing
// only, so that a pager which reads keys from standard error fails at once.
func openPty(c core.Command) (_ *stdio, err error) {
	openingPty <- struct{}{}
	defer func() { <-openingPty }()
	s := new(stdio)
	defer func() {
		if err != nil {
			s.close()
			s.closeChild()
			err = refuse(opPty, "pty", err)
		}
	}()
	master, slave, err := pty.Open()
	if err != nil {
		if errors.Is(err, unix.ENOSPC) {
			err = errNoPtys
		}
		return nil, err
	}
	if !c.Interactive {
		defer slave.Close()
		if slave, err = openToWrite(slave.Name()); err != nil {
			master.Close()
			return nil, err
		}
	}
	s.child[1], s.child[2] = slave, slave
	if s.tty, err = pollable(master); err != nil {
		return nil, err
	}
	s.outs = []output{{1, s.tty}}
	if c.Interactive {
		s.child[0], s.in = slave, s.tty
	} else if s.child[0], err = os.Open(os.DevNull); err != nil {
		return nil, err
	}

	if c.Rows > 0 && c.Cols > 0 {
		if err := setSize(int(slave.Fd()), c.Rows, c.Cols); err != nil {
			return nil, err
		}
	}
	if !c.Interactive {
		// Without a person there is no line to go back to the start of: the
		// command's "\n" arrives as it was written.
		err = changeTermios(int(slave.Fd()), func(t *unix.Termios) { t.Oflag &^= unix.OPOST })
	}
	return s, err
}

// openToWrite opens a terminal that only a child is going to use: Go's poller,
// which os.OpenFile tells of it, has no use for it.
func openToWrite(name string) (*os.File, error) {
	for {
		fd, err := unix.Open(name, unix.O_WRONLY|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), name), nil
		case unix.EINTR:
		default:
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// pollable closes f and returns its pty as a file of Go's poller. Package pty
// leaves it in blocking mode, in which Close would not end a Read.
func pollable(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// Resize tells the pty its new size: its foreground group gets SIGWINCH, or the
// command's group if it is nobody's controlling terminal. rows and cols are 1 to
// core.MaxSize.
func (p *process) Resize(rows, cols int) error {
	if p.closed() {
		return errClosed
	}
	if rows < 1 || rows > core.MaxSize || cols < 1 || cols > core.MaxSize {
		return fmt.Errorf("hostnative: resize to %dx%d: out of range", rows, cols)
	}
	if p.io.tty == nil {
		return nil
	}
	controls := false
	err := p.onTTY(func(fd int) error {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		controls = err == nil && group > 0
		return setSize(fd, rows, cols)
	})
	if err != nil || controls {
		return err
	}
	return p.SignalGroup(unix.SIGWINCH)
}

// onTTY calls f with the descriptor of the pty's master, which stays open
// that long. (File.Fd would make it blocking.)
func (p *process) onTTY(f func(fd int) error) error {
	conn, err := p.io.tty.SyscallConn()
	if err != nil {
		return errClosed
	}
	var fErr error
	if err := conn.Control(func(fd uintptr) { fErr = f(int(fd)) }); err != nil {
		return errClosed
	}
	return fErr
}

func setSize(fd, rows, cols int) error {
	size := &unix.Winsize{Row: uint16(rows), Col: uint16(cols)}
	return os.NewSyscallError("ioctl TIOCSWINSZ", unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size))
}

func changeTermios(fd int, change func(*unix.Termios)) error {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return os.NewSyscallError("tcgetattr", err)
	}
	change(t)
	return os.NewSyscallError("tcsetattr", unix.IoctlSetTermios(fd, setTermios, t))
}
