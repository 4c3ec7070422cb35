package protect

import (
	"os"

	"golang.org/x/sys/unix"
)

// searchOnly opens directories on the way.
const searchOnly = unix.O_RDONLY

func bestBeneath(int) beneath { return stepwise }

// stat looks at path below dir, at the link if it is one. An empty path is dir itself.
func stat(dir int, path string) (info, error) {
	var st unix.Stat_t
	var err error
	if path == "" {
		err = unix.Fstat(dir, &st)
	} else {
		err = unix.Fstatat(dir, path, &st, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil {
		return info{}, err
	}
	return info{
		dev: uint64(st.Dev), ino: st.Ino, mode: uint32(st.Mode), uid: st.Uid, gid: st.Gid, nlink: uint64(st.Nlink), size: st.Size,
		mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), born: st.Btim.Nano(),
	}, nil
}

// list calls each with the names in a directory and what kind of file each is. It stops when each
// returns false.
func list(fd int, each func(name string, kind uint32) bool) error {
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(dup), "")
	defer f.Close()
	names, err := f.Readdirnames(-1)
	for _, name := range names {
		i, err := stat(fd, name)
		if err != nil {
			continue
		}
		if !each(name, i.kind()) {
			return nil
		}
	}
	return err
}

// chmod changes the mode of a directory that one may not be able to read.
func chmod(dir int, name string, mode uint32) error {
	return unix.Fchmodat(dir, name, mode&0o7777, unix.AT_SYMLINK_NOFOLLOW)
}
