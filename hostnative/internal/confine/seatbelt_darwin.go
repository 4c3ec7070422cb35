package confine

import (
	"bytes"
	"os"
	"path"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// This file has been compiled and vetted, but not run.

// ThisMac returns the machine that we are on.
func ThisMac(r Rules) Mac {
	return Mac{
		Homes: homes(r.Home),
		Real:  kernelPath,
		IsLink: func(path string) bool {
			info, err := os.Lstat(path)
			return err == nil && info.Mode()&os.ModeSymlink != 0
		},
	}
}

// kernelPath returns path as the kernel names it, as far as it exists and we can open it.
// EvalSymlinks would do for links, but leave the letters as they are in path: where "A"
// and "a" are one, a rule for one of them would not hold for the other.
func kernelPath(name string) string {
	name = path.Clean(name)
	rest := ""
	for p := name; ; p = path.Dir(p) {
		if real, err := nameOf(p); err == nil {
			return path.Join(real, rest)
		}
		if p == "/" || p == "." {
			return Resolve(name)
		}
		rest = path.Join(path.Base(p), rest)
	}
}

// nameOf opens a file, in the way that asks for least, and has the kernel tell its path.
func nameOf(name string) (string, error) {
	fd, err := unix.Open(name, unix.O_EVTONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	buf := new([1024]byte) // MAXPATHLEN, with a zero byte
	var pinner runtime.Pinner
	pinner.Pin(buf)
	defer pinner.Unpin()
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETPATH, int(uintptr(unsafe.Pointer(buf)))); err != nil {
		return "", err
	}
	text, _, _ := bytes.Cut(buf[:], []byte{0})
	return string(text), nil
}
