package vfs

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// setTimesAt opens the file where it can, and uses the name only for links and
// for what we may not read. That is errByName if it may not: the filter of a
// worker refuses names here, which Landlock does not look at.
func setTimesAt(dir int, name string, t Times, byName bool) error {
	s, err := statAt(dir, name)
	if err != nil || !t.SetAtim && !t.SetMtim { // then Linux would not even look
		return err
	}
	if fd, err := reopen(dir, name, s.Mode); err == nil {
		defer unix.Close(fd)
		return setTimes(fd, t)
	}
	if !byName {
		return errByName
	}
	times := timespecs(t)
	return unix.UtimesNanoAt(dir, name, times[:], unix.AT_SYMLINK_NOFOLLOW)
}

// reopen opens a file or directory that was found to have mode.
func reopen(dir int, name string, mode uint32) (fd int, err error) {
	kind := mode & unix.S_IFMT
	if kind != unix.S_IFREG && kind != unix.S_IFDIR {
		return -1, unix.EINVAL // to open it may do something
	}
	fd, err = open(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return -1, err
	}
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil || s.Mode&unix.S_IFMT != kind {
		unix.Close(fd)
		return -1, unix.EAGAIN // it has become something else
	}
	return fd, nil
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
