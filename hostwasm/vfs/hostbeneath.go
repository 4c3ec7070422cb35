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
	for at := dir; ; at = fd {
		component, rest, more := strings.Cut(name, "/")
		step, perm := flags, mode
		if more {
			step, perm = unix.O_DIRECTORY|searchOnly, 0
		}
		fd, err = in.step(at, component, step, perm)
		if at != dir {
			unix.Close(at)
		}
		if err == nil && (!more || in.hidden != nil) {
			err = in.check(fd)
		}
		if err != nil {
			return -1, err
		}
		if !more {
			return fd, nil
		}
		name = rest
	}
}

// step opens one component. What it opens may still be beyond the border.
func (in *border) step(dir int, component string, flags int, mode uint32) (fd int, err error) {
	if flags&unix.O_CREAT != 0 && in.hidden.isWay(dir, component) {
		return -1, unix.EPERM
	}
	fd, err = open(dir, component, flags|unix.O_NOFOLLOW, mode)
	if err == unix.ENOTDIR && isLink(dir, component) {
		err = unix.ELOOP
	}
	if err == nil && in.hidden.strayed(dir, component, fd) {
		unix.Close(fd)
		err = unix.EPERM
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
	if err == nil && in.excludes(fd, &s) {
		err = unix.EPERM
	}
	if err != nil {
		unix.Close(fd)
	}
	return err
}

// excludes reports whether fd, which s describes, is beyond the border.
func (in *border) excludes(fd int, s *unix.Stat_t) bool {
	return in.hidden.has(fd, "", s) || uint64(s.Dev) != in.dev && isSystem(fd, uint64(s.Dev))
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
