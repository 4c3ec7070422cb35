package vfs

import "golang.org/x/sys/unix"

// wholeMounted reports whether all of the file system that a directory is in is
// mounted where it is: macOS has no bind mounts.
func wholeMounted(int) bool { return true }

// mountedBelow reports whether something is mounted below a directory that
// could be known by another name: see wholeMounted.
func mountedBelow(int) bool { return false }

// birthOf returns when the name in a directory was made, or the directory itself, if name is empty.
func birthOf(dir int, name string) birth {
	var s unix.Stat_t
	err := ignoringEINTR(func() error {
		if name == "" {
			return unix.Fstat(dir, &s)
		}
		return unix.Fstatat(dir, name, &s, unix.AT_SYMLINK_NOFOLLOW)
	})
	if err != nil {
		return birth{}
	}
	return birth{s.Btim.Sec, s.Btim.Nsec}
}
