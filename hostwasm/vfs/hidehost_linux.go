package vfs

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mountedBelow reports whether something is mounted below a directory. Where it
// lies the kernel tells before and after the list of mounts: if somebody moves it
// meanwhile, the list is by other names.
func mountedBelow(fd int) bool {
	link := "/proc/thread-self/fd/" + strconv.Itoa(fd)
	dir, err := os.Readlink(link)
	if err != nil || !strings.HasPrefix(dir, "/") {
		return true
	}
	mounts, err := os.ReadFile("/proc/thread-self/mountinfo")
	if err != nil {
		return true
	}
	if again, err := os.Readlink(link); err != nil || again != dir {
		return true
	}
	// So the kernel writes names there.
	dir = strings.NewReplacer(`\`, `\134`, " ", `\040`, "\t", `\011`, "\n", `\012`).Replace(dir)
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(fields[4], strings.TrimSuffix(dir, "/")+"/") {
			return true
		}
	}
	return false
}

// wholeMounted reports whether all of the file system that a directory is in is
// mounted where it is, so that whoever climbs from there sees each directory
// that leads to it. A bind mount of a part hides what is above the part.
//
// https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
func wholeMounted(fd int) bool {
	var s unix.Statx_t
	err := ignoringEINTR(func() error { return unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &s) })
	if err != nil || s.Mask&unix.STATX_MNT_ID == 0 { // before Linux 5.8
		return false
	}
	mounts, err := os.ReadFile("/proc/thread-self/mountinfo")
	if err != nil {
		return false
	}
	id := strconv.FormatUint(s.Mnt_id, 10)
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); len(fields) > 3 && fields[0] == id {
			return fields[3] == "/"
		}
	}
	return false
}

// lasting are the types of file systems where a file keeps its birth as long as its number. An
// overlay is none: there a directory keeps its number when it is copied up from a lower layer, and
// has another birth from then on. If that told directories apart, a guest would reach one that is
// hidden as soon as we had written to it.
//
// https://docs.kernel.org/filesystems/overlayfs.html#inode-properties
var lasting = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC}

// lastingBirth returns when a directory was made that is on a file system of this type, if that
// never changes.
func lastingBirth(fd int, fs int64) birth {
	if !slices.Contains(lasting, fs) {
		return birth{}
	}
	return birthOf(fd, "")
}

// birthOf returns when the name in a directory was made, or the directory itself, if name is empty.
//
// https://man7.org/linux/man-pages/man2/statx.2.html
func birthOf(dir int, name string) birth {
	var s unix.Statx_t
	err := ignoringEINTR(func() error {
		return unix.Statx(dir, name, unix.AT_EMPTY_PATH|unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &s)
	})
	if err != nil || s.Mask&unix.STATX_BTIME == 0 {
		return birth{}
	}
	return birth{s.Btime.Sec, int64(s.Btime.Nsec)}
}
