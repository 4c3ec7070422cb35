// Package trypipe writes to pipes what there is room for, without waiting.
package trypipe

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Writer is a file that is written to. It is a remote.TryWriter.
type Writer struct {
	*os.File
	raw syscall.RawConn // nil where a write might wait
}

// NewWriter returns a Writer to f. It tries to write only if f is non-blocking. If f is a pipe, it
// is widened.
func NewWriter(f *os.File) Writer {
	raw, err := f.SyscallConn()
	if err != nil {
		return Writer{File: f}
	}
	flags := 0
	raw.Control(func(fd uintptr) { flags, _ = unix.FcntlInt(fd, unix.F_GETFL, 0) })
	if flags&unix.O_NONBLOCK == 0 {
		return Writer{File: f}
	}
	Widen(f)
	return Writer{f, raw}
}

// TryWrite writes as much of p as there is room for, and returns how many bytes that is. It takes
// one system call. An error counts as no room: Write tells it.
func (w Writer) TryWrite(p []byte) (n int) {
	if w.raw == nil {
		return 0
	}
	w.raw.Write(func(fd uintptr) bool {
		n, _ = unix.Write(int(fd), p)
		return true
	})
	return max(0, n)
}
