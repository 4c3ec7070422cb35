package vfs

import "math/bits"

// HostOptions say what a guest may do in a directory of the host.
type HostOptions struct {
	// ReadOnly refuses all changes with EROFS.
	ReadOnly bool
	// Quota bounds what the guest adds; nil is without limit. A file counts
	// with its size, holes included. What is removed is given back, also if it
	// was there before.
	Quota *Quota
	// Setter, if not nil, is asked to set what this program may not set itself of
	// a file below the directory: its permissions and, where the file can't be
	// opened, its times.
	Setter Setter
	// Hidden are directories that the guest does not reach: they are not
	// listed, and whatever is done to them or to what is in them is EPERM.
	// OpenHost refuses them, and what is in them. Nil is none.
	Hidden *Hidden
}

// A Setter sets what is known of files, as FS does and with its names.
type Setter interface {
	SetMode(name string, mode Mode) error
	SetTimes(name string, t Times) error
}

// opaque makes one number of a device and an inode. Numbers of one device are
// different if the inodes are.
func opaque(dev, ino uint64) uint64 {
	const odd = 0x9e3779b97f4a7c15
	x := (ino ^ bits.RotateLeft64(dev*odd, 32)) * odd
	return (x ^ x>>32) * odd
}
