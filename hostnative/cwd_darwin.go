package hostnative

import "golang.org/x/sys/unix"

// This file has been compiled and vetted, but not run: not even the refusals.

// A cwd is a directory for a command to start in. Here a child can enter it by
// its name only, so one that is replaced at the very moment of the start is
// entered all the same.
type cwd struct {
	id   cwdID
	path string
}

// openCwd returns the directory that path names, or says why no process can
// start in it.
func openCwd(path string) (cwd, error) {
	var stat unix.Stat_t
	err := unix.Stat(path, &stat)
	if err == nil && stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		err = unix.ENOTDIR
	}
	if err == nil {
		err = checkSearchable(path)
	}
	if err != nil {
		return cwd{}, refuse(opCwd, path, err)
	}
	return cwd{newCwdID(&stat), path}, nil
}

func (cwd) close() {}
