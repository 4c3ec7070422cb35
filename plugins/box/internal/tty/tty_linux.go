package tty

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// control calls do with the descriptor of f, which stays as it is.
func control(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	failed := raw.Control(func(fd uintptr) { err = do(int(fd)) })
	if failed != nil {
		return failed
	}
	return err
}

func get(f *os.File) (t proc.Terminal, err error) {
	err = control(f, func(fd int) error {
		termios, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			return err
		}
		for mode, flag := range local {
			if termios.Lflag&flag != 0 {
				t.Modes |= mode
			}
		}
		if termios.Iflag&unix.ICRNL != 0 {
			t.Modes |= proc.Returns
		}
		if termios.Oflag&(unix.OPOST|unix.ONLCR) == unix.OPOST|unix.ONLCR {
			t.Modes |= proc.Newlines
		}
		if size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ); err == nil {
			t.Rows, t.Cols = int(size.Row), int(size.Col)
		}
		return nil
	})
	return t, err
}

var local = map[proc.TerminalModes]uint32{proc.Canonical: unix.ICANON, proc.Echo: unix.ECHO, proc.Signals: unix.ISIG}

func setModes(f *os.File, m proc.TerminalModes) error {
	return control(f, func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			return err
		}
		set := func(flags *uint32, flag uint32, on bool) {
			*flags &^= flag
			if on {
				*flags |= flag
			}
		}
		for mode, flag := range local {
			set(&t.Lflag, flag, m&mode != 0)
		}
		set(&t.Iflag, unix.ICRNL, m&proc.Returns != 0)
		set(&t.Oflag, unix.OPOST, m&proc.Newlines != 0)
		t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
		return unix.IoctlSetTermios(fd, unix.TCSETSW, t)
	})
}

func setSize(f *os.File, rows, cols int) error {
	return control(f, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(cols)})
	})
}

func watch(_ *os.File, changed func()) (stop func(), err error) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	done := make(chan struct{})
	go func() { // ends with stop
		for {
			select {
			case <-c:
				changed()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(c)
		close(done)
	}, nil
}
