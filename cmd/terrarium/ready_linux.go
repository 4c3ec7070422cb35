package main

import (
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A readyFile writes what a file takes at once.
type readyFile struct {
	fd   int
	name string
}

// newReadyFile returns nil for a file whose reader may keep us waiting. A pipe
// is opened a second time, since that a write does not wait is a property of
// what has been opened, which others may have, too.
func newReadyFile(f *os.File) *readyFile {
	fd := int(f.Fd())
	var info unix.Stat_t
	if unix.Fstat(fd, &info) != nil {
		return nil
	}
	switch info.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return &readyFile{fd, f.Name()}
	case unix.S_IFCHR:
		if info.Rdev == unix.Mkdev(1, 3) { // /dev/null
			return &readyFile{fd, f.Name()}
		}
	case unix.S_IFIFO:
		fd, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err == nil {
			return &readyFile{fd, f.Name()}
		}
	}
	return nil
}

// write returns how much of p was taken.
func (f *readyFile) write(p []byte) (n int, err error) {
	for n < len(p) {
		m, err := unix.Write(f.fd, p[n:])
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return n, nil
		case err != nil:
			return n, &fs.PathError{Op: "write", Path: f.name, Err: err}
		default:
			n += m
		}
	}
	return n, nil
}
