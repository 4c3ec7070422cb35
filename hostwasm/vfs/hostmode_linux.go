package vfs

import (
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// lookOnly opens what one may have no right to read, and does nothing to it.
const lookOnly = unix.O_PATH

// changeMode sets the mode of what lookOnly has opened, which fchmod does not
// take: the link that the kernel has for it leads there whatever its names are.
func changeMode(fd int, mode uint32) error {
	return unix.Fchmodat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), mode, 0)
}

// Umask returns the permissions that this program's new files do not get, as
// they were when it was first asked. The system call that tells would change
// them, for all that the program does meanwhile.
var Umask = sync.OnceValue(func() Mode {
	status, _ := os.ReadFile("/proc/self/status") // since Linux 4.7
	_, text, _ := strings.Cut(string(status), "\nUmask:\t")
	text, _, _ = strings.Cut(text, "\n")
	mask, err := strconv.ParseUint(text, 8, 16)
	if err != nil {
		return usualUmask
	}
	return Mode(mask) & ModePerm
})
