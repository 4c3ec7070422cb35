//go:build !linux

package vfs

// Umask returns the permissions that this program's new files do not get, as
// far as it can be told without changing them: what is usual.
func Umask() Mode { return usualUmask }
