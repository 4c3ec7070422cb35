package ripgrep

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// linuxNumbers are what Linux, whose messages these are, calls the errors that a search meets.
var linuxNumbers = []struct {
	err    syscall.Errno
	number int
}{
	{syscall.EPERM, 1}, {syscall.ENOENT, 2}, {syscall.EIO, 5}, {syscall.EACCES, 13}, {syscall.ENOTDIR, 20},
	{syscall.EISDIR, 21}, {syscall.EINVAL, 22}, {syscall.EMFILE, 24}, {syscall.ENAMETOOLONG, 36}, {syscall.ELOOP, 40},
}

// systemMessage is an error as programs in Rust show it.
func systemMessage(err error) string {
	for _, known := range linuxNumbers {
		if errors.Is(err, known.err) {
			return fmt.Sprintf("%s (os error %d)", tool.Strerror(err), known.number)
		}
	}
	return tool.Strerror(err)
}
