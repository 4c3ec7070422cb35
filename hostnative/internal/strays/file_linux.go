package strays

import (
	"sync"

	"golang.org/x/sys/unix"
)

// readFile is os.ReadFile for what the kernel makes up: it does without Go's
// poller, which has no use for such a file and takes half of the time.
func readFile(path string) ([]byte, error) {
	fd, err := open(path, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return readAll(fd)
}

// readAll reads to the end. Each read has room for a page: what is read in pieces may change in
// between.
func readAll(fd int) (b []byte, err error) {
	page := pages.Get().(*[pageSize]byte)
	defer pages.Put(page)
	for {
		n, err := unix.Read(fd, page[:])
		switch {
		case err == unix.EINTR:
		case err != nil || n == 0:
			return b, err
		default:
			b = append(b, page[:n]...)
		}
	}
}

// pageSize is how much the kernel makes up at once, at the least.
const pageSize = 4 << 10

// pages are for what is read, of which most files have a line. On the stack, a page would have the
// stack of each new goroutine copied.
var pages = sync.Pool{New: func() any { return new([pageSize]byte) }}

// writeFile writes to a file that there is.
func writeFile(path, s string) error {
	fd, err := open(path, unix.O_WRONLY)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte(s))
	return err
}

func open(path string, mode int) (fd int, err error) {
	for {
		fd, err = unix.Open(path, mode|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}
