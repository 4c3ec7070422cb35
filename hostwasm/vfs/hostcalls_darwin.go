package vfs

import "golang.org/x/sys/unix"

// setTimesAt may use the name always: nothing refuses it here.
func setTimesAt(dir int, name string, t Times, _ bool) error {
	s, err := statAt(dir, name)
	if err != nil {
		return err
	}
	times := timespecs(t, &s)
	return unix.UtimesNanoAt(dir, name, times[:], unix.AT_SYMLINK_NOFOLLOW)
}

// setTimes is precise to microseconds, as futimes is.
func setTimes(fd int, t Times) error {
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return err
	}
	times := timespecs(t, &s)
	return unix.Futimes(fd, []unix.Timeval{
		unix.NsecToTimeval(times[0].Nano()), unix.NsecToTimeval(times[1].Nano()),
	})
}

// timespecs has the present times where t has none: there is no UTIME_OMIT.
func timespecs(t Times, s *unix.Stat_t) [2]unix.Timespec {
	times := [2]unix.Timespec{s.Atim, s.Mtim}
	if t.SetAtim {
		times[0] = unix.NsecToTimespec(t.Atim)
	}
	if t.SetMtim {
		times[1] = unix.NsecToTimespec(t.Mtim)
	}
	return times
}

// allocate makes a hole: F_PREALLOCATE does not change the size.
func allocate(fd int, offset, length int64) error { return extend(fd, offset+length) }

func syncFile(fd int, _ bool) error { return unix.Fsync(fd) }
