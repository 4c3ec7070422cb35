package hostnative

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// A cwd is a directory for a command to start in, held open: what becomes of
// its name no longer matters.
type cwd struct {
	id   cwdID
	path string // for chdir(2), also in a child
	fd   int
}

// openCwd returns the directory that path names, or says why no process can
// start in it. Left to execve(2), a missing directory would read as a missing
// executable.
func openCwd(path string) (c cwd, err error) {
	c.fd, err = unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for err == unix.EINTR { // of a network's file system
		c.fd, err = unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return cwd{}, refuse(opCwd, path, err)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(c.fd, &stat); err != nil {
		c.close()
		return cwd{}, refuse(opCwd, path, err)
	}
	c.id = newCwdID(&stat)
	// The link leads to what is open, not to what has that name by now.
	c.path = "/proc/self/fd/" + strconv.Itoa(c.fd)
	err = checkSearchable(c.path)
	if err == unix.ENOENT { // without /proc there is nothing but the name
		c.path = path
		err = checkSearchable(path)
	}
	if err != nil {
		c.close()
		return cwd{}, refuse(opCwd, path, err)
	}
	return c, nil
}

func (c cwd) close() { unix.Close(c.fd) }
