//go:build linux || darwin

package vfs

import (
	"strings"

	"golang.org/x/sys/unix"
)

// A beneath opens a name below a directory, as FS names it, without following a
// link anywhere: that is ELOOP. Nor does it open anything beyond the border of
// the directory: EPERM.
//
// os.Root would follow links as long as they stay inside, and that is too much:
// a guest that swaps a directory for a link at the right moment would get
// around a read-only mount below, or out of Path.Beneath.
type beneath func(dir int, in *border, name string, flags int, mode uint32) (fd int, err error)

// A border is what names below a directory must not lead to: a file system for
// which isSystem holds, other than the directory's own, and what is hidden.
type border struct {
	dev    uint64  // of the directory
	hidden *Hidden // nil if there is nothing
	near   bool    // see Hidden.near
}

// stepwise opens one component after the other.
func stepwise(dir int, in *border, name string, flags int, mode uint32) (fd int, err error) {
	at := dir
	for more := true; more && err == nil; {
		var component string
		component, name, more = strings.Cut(name, "/")
		step, perm := flags, mode
		if more {
			step, perm = unix.O_DIRECTORY|searchOnly, 0
		}
		if step&unix.O_CREAT != 0 && in.hidden.isWay(at, component) {
			fd, err = -1, unix.EPERM
		} else {
			fd, err = open(at, component, step|unix.O_NOFOLLOW, perm)
		}
		if err == unix.ENOTDIR && isLink(at, component) {
			err = unix.ELOOP
		}
		if err == nil && in.hidden.strayed(at, component, fd) {
			unix.Close(fd)
			fd, err = -1, unix.EPERM
		}
		if at != dir {
			unix.Close(at)
		}
		at = fd
		if err == nil && (!more || in.hidden != nil) {
			err = in.check(fd)
		}
	}
	if err != nil {
		return -1, err
	}
	return fd, nil
}

// check closes fd if it is beyond the border.
func (in *border) check(fd int) error {
	var s unix.Stat_t
	err := ignoringEINTR(func() error { return unix.Fstat(fd, &s) })
	if err == nil && (in.hidden.has(inodeOf(&s)) || uint64(s.Dev) != in.dev && isSystem(fd, uint64(s.Dev))) {
		err = unix.EPERM
	}
	if err != nil {
		unix.Close(fd)
	}
	return err
}

func open(dir int, name string, flags int, mode uint32) (fd int, err error) {
	err = ignoringEINTR(func() error {
		fd, err = unix.Openat(dir, name, flags|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

func isLink(dir int, name string) bool {
	s, err := statAt(dir, name)
	return err == nil && s.Mode&unix.S_IFMT == unix.S_IFLNK
}

// statAt describes name itself, in the directory that is open as dir.
func statAt(dir int, name string) (s unix.Stat_t, err error) {
	err = ignoringEINTR(func() error { return unix.Fstatat(dir, name, &s, unix.AT_SYMLINK_NOFOLLOW) })
	return s, err
}
