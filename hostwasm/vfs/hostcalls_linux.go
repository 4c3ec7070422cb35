package vfs

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

func setTimesAt(dir int, name string, t Times) error {
	if !t.SetAtim && !t.SetMtim {
		_, err := statAt(dir, name) // Linux would not even look
		return err
	}
	times := timespecs(t)
	return unix.UtimesNanoAt(dir, name, times[:], unix.AT_SYMLINK_NOFOLLOW)
}

// setTimes is futimens: utimensat without a name. x/sys has neither, and
// AT_EMPTY_PATH came only with Linux 5.8.
func setTimes(fd int, t Times) error {
	times := timespecs(t)
	_, _, e := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

func timespecs(t Times) [2]unix.Timespec {
	times := [2]unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Nsec: unix.UTIME_OMIT}}
	if t.SetAtim {
		times[0] = unix.NsecToTimespec(t.Atim)
	}
	if t.SetMtim {
		times[1] = unix.NsecToTimespec(t.Mtim)
	}
	return times
}

// allocate reserves blocks where the file system can, and else makes a hole.
func allocate(fd int, offset, length int64) error {
	err := unix.Fallocate(fd, 0, offset, length)
	if err != unix.EOPNOTSUPP {
		return err
	}
	return extend(fd, offset+length)
}

func syncFile(fd int, data bool) error {
	if data {
		return unix.Fdatasync(fd)
	}
	return unix.Fsync(fd)
}
