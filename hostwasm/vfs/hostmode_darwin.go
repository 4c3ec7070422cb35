package vfs

import "golang.org/x/sys/unix"

// lookOnly opens what one may read: there is no way to open less.
const lookOnly = unix.O_RDONLY | unix.O_NONBLOCK

func changeMode(fd int, mode uint32) error { return unix.Fchmod(fd, mode) }
