package hostnative

import "golang.org/x/sys/unix"

// The requests behind tcgetattr(3) and tcsetattr(3) with TCSANOW.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// getReadable is FIONREAD of ioctl(2): how many bytes can be read.
const getReadable = unix.TIOCINQ
