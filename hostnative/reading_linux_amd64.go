package hostnative

import "golang.org/x/sys/unix"

// waitsForFiles are the system calls that wait until a file can be read.
var waitsForFiles = []int{
	unix.SYS_PSELECT6, unix.SYS_PPOLL, unix.SYS_EPOLL_PWAIT, unix.SYS_SELECT, unix.SYS_POLL, unix.SYS_EPOLL_WAIT,
}
