package ask

import "golang.org/x/sys/unix"

const getTermios = unix.TCGETS

// forget drops what was typed and not read.
func (t tty) forget() { _ = unix.IoctlSetInt(int(t), unix.TCFLSH, unix.TCIFLUSH) }
