package ask

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA

// forget drops what was typed and not read.
func (t tty) forget() { _ = unix.IoctlSetPointerInt(int(t), unix.TIOCFLUSH, 1) } // FREAD, fcntl.h
