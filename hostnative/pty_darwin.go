package hostnative

import "golang.org/x/sys/unix"

// This file has been compiled and vetted, but not run: none of the requests.

// The requests behind tcgetattr(3) and tcsetattr(3) with TCSANOW.
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// getReadable is FIONREAD of ioctl(2), which package unix lacks: how many bytes
// can be read. <sys/filio.h> has _IOR('f', 127, int).
const getReadable = 0x4004667f
