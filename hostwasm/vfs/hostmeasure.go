//go:build linux || darwin

package vfs

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Measure returns how many bytes what is below a directory of the host takes, in
// blocks as HostOptions has them and holes included, and how many names there are.
// A file with two names counts twice, and the directory itself with what it has grown
// by. The tree may be of any depth. Where a part of it can't be read there is an error,
// and the numbers are too small.
func Measure(dir string) (bytes, names int64, err error) {
	w := treeWalk{visit: func(e treeEntry) error {
		names++
		bytes += blocksOf(e.stat)
		return nil
	}}
	if err = w.run(unix.AT_FDCWD, dir); err != nil {
		return bytes, names, err
	}
	top, err := statAt(unix.AT_FDCWD, dir)
	if err == nil {
		bytes += blocksOf(&top) - block
	}
	return bytes, names, err
}

var (
	errTooDeep = errors.New("too deep")
	errTooMany = errors.New("too many names")
)

// maxLooked is at how many names deeperThan looks: more than a session may have in
// /tmp, and few enough that a worker which was killed is not waited for.
const maxLooked = 1 << 17

// deeperThan reports whether a path below a directory is longer than so many
// bytes. What has the name need not be a directory. What can't be read, is moved
// meanwhile, or comes after so many names, counts as not too deep.
func deeperThan(dir int, name string, most, names int) bool {
	w := treeWalk{visit: func(e treeEntry) error {
		if e.length > most {
			return errTooDeep
		}
		if names--; names <= 0 {
			return errTooMany
		}
		return nil
	}}
	return w.run(dir, name) == errTooDeep
}
