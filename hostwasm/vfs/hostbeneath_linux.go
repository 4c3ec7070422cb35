package vfs

import "golang.org/x/sys/unix"

// searchOnly opens directories on the way, which one need not be able to read.
const searchOnly = unix.O_PATH

// bestBeneath is one system call where the kernel has it, since 5.6, and nobody
// forbids it.
func bestBeneath(dir int) beneath {
	fd, err := atOnce(dir, new(border), ".", unix.O_PATH, 0)
	if err != nil {
		return stepwise
	}
	unix.Close(fd)
	return atOnce
}

// atOnce has the kernel do it, where no directory on the way can be a hidden one:
// the kernel would not tell.
//
// https://man7.org/linux/man-pages/man2/openat2.2.html
func atOnce(dir int, in *border, name string, flags int, mode uint32) (fd int, err error) {
	if in.near {
		return stepwise(dir, in, name, flags, mode)
	}
	how := unix.OpenHow{
		Flags: uint64(flags | unix.O_CLOEXEC),
		Mode:  uint64(mode),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS |
			unix.RESOLVE_NO_XDEV,
	}
	fd, err = openat2(dir, name, &how)
	if err != unix.EXDEV {
		return fd, err
	}
	// Something is mounted on the host on the way.
	if in.hidden != nil {
		return stepwise(dir, in, name, flags, mode)
	}
	how.Resolve &^= unix.RESOLVE_NO_XDEV
	fd, err = openat2(dir, name, &how)
	if err != nil {
		return -1, err
	}
	return fd, in.check(fd)
}

func openat2(dir int, name string, how *unix.OpenHow) (fd int, err error) {
	err = ignoringEINTR(func() error {
		fd, err = unix.Openat2(dir, name, how)
		return err
	})
	return fd, err
}
