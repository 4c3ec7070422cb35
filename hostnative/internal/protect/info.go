//go:build linux || darwin

package protect

import (
	"errors"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// young is how old a change must be for a second one to show in a file's times, generously: some
// file systems count seconds.
const young = 2 * time.Second

// An info is what the system knows about a file.
type info struct {
	dev, ino     uint64
	mode         uint32 // type and permissions
	uid, gid     uint32
	nlink        uint64
	size         int64
	mtime, ctime int64 // nanoseconds
	born         int64 // 0 where it is not known
}

func (i info) kind() uint32 { return i.mode & unix.S_IFMT }
func (i info) perm() uint32 { return i.mode & 0o7777 }
func (i info) dir() bool    { return i.kind() == unix.S_IFDIR }

// sameDir reports whether nothing came into a directory, or left it, between two looks.
func (i info) sameDir(o info) bool {
	return i.dev == o.dev && i.ino == o.ino && i.ctime == o.ctime && i.dir()
}

// recent reports whether a file may have changed again since it was looked at, with the same times.
func (i info) recent(now time.Time) bool { return i.ctime > now.Add(-young).UnixNano() }

// A beneath opens a path below a directory, without following a link anywhere.
type beneath func(dir int, path string, flags int) (fd int, err error)

// stepwise opens one component after the other.
func stepwise(dir int, path string, flags int) (fd int, err error) {
	for at := dir; ; at = fd {
		name, rest, more := strings.Cut(path, "/")
		how := flags
		if more {
			how = searchOnly | unix.O_DIRECTORY
		}
		fd, err = again(func() (int, error) { return unix.Openat(at, name, how|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0) })
		if at != dir {
			unix.Close(at)
		}
		if err != nil || !more {
			return fd, err
		}
		path = rest
	}
}

// again makes a call until no signal interrupts it.
func again[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if err != unix.EINTR {
			return v, err
		}
	}
}

// gone reports whether err is of a path that leads to nothing, or not as a path should.
func gone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}
