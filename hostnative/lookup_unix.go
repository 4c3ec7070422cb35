//go:build linux || darwin

package hostnative

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// defaultPath is searched where an environment has no PATH: POSIX's
// confstr(_CS_PATH), as in execvp(3).
const defaultPath = "/usr/bin:/bin"

// lookExecutable returns the absolute path of the executable file that name
// means to a process in cwd with the environment env.
func lookExecutable(name, cwd string, env environ) (string, error) {
	if strings.Contains(name, "/") {
		path := join(cwd, name)
		if err := checkExecutable(path); err != nil {
			return "", refuse(opExec, path, err)
		}
		return path, nil
	}

	list, ok := env.lookup("PATH")
	if !ok {
		list = defaultPath
	}
	// As in execvp(3), a file that can't be executed does not end the search,
	// but it makes a better reason than that there is none. A directory that this
	// user may not search makes none: nobody knows whether the file is there, and a
	// PATH may have such a directory for all names, as shells know.
	failure := refuse(opExec, name, errNotInPath)
	for _, dir := range filepath.SplitList(list) {
		path := join(join(cwd, dir), name)
		err := checkExecutable(path)
		if err == nil {
			return path, nil
		}
		if err != unix.EACCES && errors.Is(err, fs.ErrPermission) {
			failure = refuse(opExec, path, err)
		}
	}
	return "", failure
}

// lookShell returns the shell's argv[0] and its absolute path.
func (h *Host) lookShell() (name, path string, err error) {
	names := []string{"bash", "sh"}
	if h.shell != "" {
		names = []string{h.shell}
	}
	var list string
	for _, kv := range h.env {
		if value, ok := strings.CutPrefix(kv, "PATH="); ok {
			list = value
		}
	}
	for _, name := range names {
		if filepath.IsAbs(name) {
			if err := checkExecutable(name); err != nil {
				return "", "", refuse(opShell, name, err)
			}
			return name, name, nil
		}
		for _, dir := range filepath.SplitList(list + ":/bin") {
			// Which shell it is must not depend on the current directory.
			if path := join(dir, name); filepath.IsAbs(dir) && checkExecutable(path) == nil {
				return name, path, nil
			}
		}
	}
	return "", "", refuse(opShell, names[len(names)-1], errNotInPath)
}

// checkExecutable says why this process's user can't execute the file path.
func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return cause(err)
	case info.IsDir():
		return errDirectory
	case !info.Mode().IsRegular():
		return errNotRegular
	}
	err = unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS)
	if errors.Is(err, fs.ErrPermission) {
		return errNotExecutable
	}
	return err
}

// join returns path as seen from dir. Unlike filepath.Join it leaves ".." to
// the kernel: below a symbolic link, removing it would name another file.
func join(dir, path string) string {
	path = strings.TrimPrefix(path, "./")
	switch {
	case filepath.IsAbs(path):
		return path
	case path == "" || path == ".":
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + path
}
