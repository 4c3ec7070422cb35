//go:build linux || darwin

package vfs

// Stepwise makes a file system of OpenHost do as one without openat2.
func Stepwise(fs FS) FS {
	if ro, ok := fs.(readOnly); ok {
		Stepwise(ro.FS)
		return fs
	}
	fs.(*hostDir).beneath = stepwise
	return fs
}
