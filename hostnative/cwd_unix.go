//go:build linux || darwin

package hostnative

import (
	"io/fs"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// A cwdID is which directory a command is to start in, whatever its name: the
// one that Resolve has seen, and that policy or a person may have approved.
type cwdID struct{ dev, ino uint64 }

func newCwdID(s *unix.Stat_t) cwdID { return cwdID{uint64(s.Dev), s.Ino} }

var errReplaced = &fault{"no longer the directory that it was", fs.ErrNotExist}

// reopenCwd is openCwd for an Exec, and refuses another directory than that of
// its Resolve: a process started there would be in a place that nobody chose.
func reopenCwd(e core.Exec) (cwd, error) {
	c, err := openCwd(e.Command.Cwd)
	if err != nil {
		return cwd{}, err
	}
	if id, ok := e.Host.(cwdID); ok && id != c.id {
		c.close()
		return cwd{}, refuse(opCwd, e.Command.Cwd, errReplaced)
	}
	return c, nil
}

// checkSearchable says why this process's user can't enter the directory path.
func checkSearchable(path string) error {
	return unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS)
}
