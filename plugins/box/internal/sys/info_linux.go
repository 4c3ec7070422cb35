package sys

import (
	"io/fs"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// HasOwners says whether the system knows whose files are.
const HasOwners = true

// Lchtimes is os.Chtimes, and sets a symbolic link's own times.
func Lchtimes(name string, atime, mtime time.Time) error {
	var times [2]unix.Timespec
	for i, t := range []time.Time{atime, mtime} {
		times[i] = unix.Timespec{Nsec: unix.UTIME_OMIT}
		if !t.IsZero() {
			times[i] = unix.NsecToTimespec(t.UnixNano())
		}
	}
	err := unix.UtimesNanoAt(unix.AT_FDCWD, name, times[:], unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return &fs.PathError{Op: "lchtimes", Path: name, Err: err}
	}
	return nil
}

// Of returns what fi, which must come from os.Stat or os.Lstat, knows.
func Of(fi fs.FileInfo) Info {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return portable(fi)
	}
	return Info{
		Dev: uint64(st.Dev), Ino: st.Ino, Nlink: uint64(st.Nlink), Rdev: uint64(st.Rdev),
		Uid: st.Uid, Gid: st.Gid, Size: st.Size, Blocks: st.Blocks, Mode: st.Mode,
		Atime: time.Unix(st.Atim.Unix()), Mtime: time.Unix(st.Mtim.Unix()), Ctime: time.Unix(st.Ctim.Unix()),
	}
}
