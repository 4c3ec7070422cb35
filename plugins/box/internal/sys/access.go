package sys

import (
	"io/fs"
	"os"
	"syscall"

	modes "github.com/terrarium-dev/terrarium/plugins/fs"
)

// A Right is what somebody wants to do with a file.
type Right int

// The rights, numbered as access(2) does.
const (
	Execute Right = 1
	Write   Right = 2
	Read    Right = 4
)

// Access says why a file can't be used so. To read or write one it is opened, since nothing else
// tells who the host takes us for. Directories can be read, and written unless they are read-only.
func Access(name string, r Right) error {
	fi, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case r == Execute && !fi.IsDir() && !Executable(fi):
		return fs.ErrPermission
	case r == Write && modes.ReadOnly(name):
		return syscall.EROFS
	case r == Execute, !fi.Mode().IsRegular():
		return nil
	}
	flag := os.O_RDONLY
	if r == Write {
		flag = os.O_WRONLY
	}
	f, err := os.OpenFile(name, flag, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
