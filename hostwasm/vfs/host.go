package vfs

import (
	"math/bits"
	"os"
)

// HostOptions say what a guest may do in a directory of the host.
type HostOptions struct {
	// ReadOnly refuses all changes with EROFS.
	ReadOnly bool
	// Quota bounds what the guest adds; nil is without limit. A file counts
	// with its size, holes included. What is removed is given back, also if it
	// was there before.
	Quota *Quota
	// Blocks has the Quota count as file systems do, in blocks of 4 KiB: a file
	// with its size rounded up, a symbolic link with a block, and a directory with
	// what it has, which is more than one after it had many names.
	Blocks bool
	// Setter, if not nil, is asked to set what this program may not set itself of
	// a file below the directory: its permissions and, where the file can't be
	// opened, its times.
	Setter Setter
	// Names, if not nil, is asked for what takes a name where this program may
	// only look. Files are used here once they are open.
	Names Names
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

// Names opens, makes, moves and removes files below a directory, as FS does and
// with its names.
type Names interface {
	// Open opens what is there or, with How.Create, which comes with Exclusive,
	// what is not. How.Truncate is not set. The file is the caller's.
	Open(name string, how How) (*os.File, error)
	Mkdir(name string, mode Mode) error
	Unlink(name string) error
	Rmdir(name string) error
	Rename(old, new string) error
	Link(old, new string) error
	Symlink(target, name string) error
}

// opaque makes one number of a device and an inode. Numbers of one device are
// different if the inodes are.
func opaque(dev, ino uint64) uint64 {
	const odd = 0x9e3779b97f4a7c15
	x := (ino ^ bits.RotateLeft64(dev*odd, 32)) * odd
	return (x ^ x>>32) * odd
}
