package wazero

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// canMap says that there are sealedFile and mapPrivate.
const canMap = true

// sealedFile returns a file in memory that has data, and that nobody can change.
func sealedFile(data []byte) (_ *os.File, err error) {
	fd, err := unix.MemfdCreate("guest", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "guest")
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if _, err := f.Write(data); err != nil {
		return nil, err
	}
	const seals = unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK | unix.F_SEAL_SEAL
	_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals)
	return f, os.NewSyscallError("fcntl", err)
}

// mapPrivate has space, which was reserved, begin as the file does. What is
// written to it stays there.
func mapPrivate(f *os.File, space []byte) error {
	_, err := unix.MmapPtr(int(f.Fd()), 0, unsafe.Pointer(&space[0]), uintptr(len(space)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return os.NewSyscallError("mmap", err)
}
