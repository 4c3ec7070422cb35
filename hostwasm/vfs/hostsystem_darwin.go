package vfs

import (
	"strings"

	"golang.org/x/sys/unix"
)

// isSystem says that an open file is in a file system that shows devices.
func isSystem(fd int, _ uint64) bool {
	var s unix.Statfs_t
	if err := ignoringEINTR(func() error { return unix.Fstatfs(fd, &s) }); err != nil {
		return true
	}
	name := unix.ByteSliceToString(s.Fstypename[:])
	return name == "devfs" || strings.HasPrefix(name, "fdesc")
}
