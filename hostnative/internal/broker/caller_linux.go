package broker

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A caller is the thread that has asked. As long as its question waits, its number is
// no other's.
type caller struct {
	tid int
}

// take returns a copy of one of its descriptors.
func (c caller) take(fd int) (int, error) {
	// A thread may have other descriptors than the first one of its process. Before
	// Linux 6.9 there is only the first one's to have.
	process, err := unix.PidfdOpen(c.tid, unix.PIDFD_THREAD)
	if err == unix.EINVAL {
		process, err = unix.PidfdOpen(c.process(), 0)
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	return unix.PidfdGetfd(process, fd, 0)
}

// process returns the id of its process.
func (c caller) process() int {
	id, err := strconv.Atoi(c.status("Tgid"))
	if err != nil {
		return c.tid
	}
	return id
}

// umask returns its file mode creation mask.
func (c caller) umask() int {
	mask, err := strconv.ParseUint(c.status("Umask"), 8, 32)
	if err != nil {
		return 0o077
	}
	return int(mask)
}

// status returns a field of /proc/TID/status, or "".
func (c caller) status(name string) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(c.tid) + "/status")
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(b) {
		if value, ok := bytes.CutPrefix(line, []byte(name+":")); ok {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

// openCwd opens its current directory.
func (c caller) openCwd() (int, error) {
	return unix.Open("/proc/"+strconv.Itoa(c.tid)+"/cwd", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

// maxAddress is the size of struct sockaddr_storage: the kernel takes no longer one.
const maxAddress = 128

// copyAddress copies a socket's address from its memory.
func (c caller) copyAddress(at, n uint64) ([]byte, error) {
	if n > maxAddress || n < 2 {
		return nil, unix.EINVAL
	}
	b := make([]byte, n)
	got, err := unix.ProcessVMReadv(c.tid, []unix.Iovec{{Base: &b[0], Len: n}}, []unix.RemoteIovec{{Base: uintptr(at), Len: int(n)}}, 0)
	switch {
	case err != nil:
		return nil, err
	case got < len(b):
		return nil, unix.EFAULT
	}
	return b, nil
}
