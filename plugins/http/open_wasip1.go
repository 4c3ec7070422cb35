package http

import (
	"io"
	"os"
	"syscall"
)

//go:wasmimport terrarium_http_v0 features
func features() uint64

//go:wasmimport terrarium_http_v0 open
//go:noescape
func openStream(flags uint32, fd *uint32) syscall.Errno

// hasOpen is a bit of features.
const hasOpen = 1

func supported() bool { return features()&hasOpen != 0 }

func open() (io.ReadWriteCloser, error) {
	if !supported() {
		return nil, errNone
	}
	var fd uint32
	const nonblock = 1 // so that the runtime waits for it, and not the process
	switch errno := openStream(nonblock, &fd); errno {
	case 0:
		return os.NewFile(uintptr(fd), "http"), nil
	case syscall.EAGAIN:
		return nil, &Error{TooMany, "too many requests at once: wait until others have ended"}
	default:
		return nil, os.NewSyscallError("open", errno)
	}
}
