//go:build linux || darwin

package vfs

import "golang.org/x/sys/unix"

// Stepwise makes a file system of OpenHost do as one without openat2.
func Stepwise(fs FS) FS {
	if ro, ok := fs.(readOnly); ok {
		Stepwise(ro.FS)
		return fs
	}
	fs.(*hostDir).beneath = stepwise
	return fs
}

// DeeperThan is deeperThan, for a path of this program.
func DeeperThan(path string, most, names int) bool {
	return deeperThan(unix.AT_FDCWD, path, most, names)
}
