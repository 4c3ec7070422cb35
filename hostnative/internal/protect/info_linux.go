package protect

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// searchOnly opens directories on the way, which one need not be able to read.
const searchOnly = unix.O_PATH

// bestBeneath is one system call where the kernel has it, since 5.6, and nobody forbids it.
func bestBeneath(dir int) beneath {
	fd, err := atOnce(dir, ".", unix.O_PATH)
	if err != nil {
		return stepwise
	}
	unix.Close(fd)
	return atOnce
}

// https://man7.org/linux/man-pages/man2/openat2.2.html
func atOnce(dir int, path string, flags int) (int, error) {
	how := unix.OpenHow{
		Flags: uint64(flags | unix.O_CLOEXEC | unix.O_NOFOLLOW),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS |
			unix.RESOLVE_NO_XDEV,
	}
	return again(func() (int, error) {
		fd, err := unix.Openat2(dir, path, &how)
		if err == unix.EAGAIN { // something was renamed meanwhile
			err = unix.EINTR
		}
		return fd, err
	})
}

// stat looks at path below dir, at the link if it is one. An empty path is dir itself.
func stat(dir int, path string) (info, error) {
	var st unix.Statx_t
	flags := unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT
	if path == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	if err := unix.Statx(dir, path, flags, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st); err != nil {
		return info{}, err
	}
	i := info{
		dev: unix.Mkdev(st.Dev_major, st.Dev_minor), ino: st.Ino, mode: uint32(st.Mode), uid: st.Uid, gid: st.Gid,
		nlink: uint64(st.Nlink), size: int64(st.Size),
		mtime: st.Mtime.Sec*1e9 + int64(st.Mtime.Nsec), ctime: st.Ctime.Sec*1e9 + int64(st.Ctime.Nsec),
	}
	if st.Mask&unix.STATX_BTIME != 0 {
		i.born = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	}
	return i, nil
}

// list calls each with the names in a directory and what kind of file each is. It stops when each
// returns false.
//
// os.File would ask by its own path where the file system does not tell the kind.
func list(fd int, each func(name string, kind uint32) bool) error {
	var buf [32 << 10]byte
	for {
		n, err := again(func() (int, error) { return unix.Getdents(fd, buf[:]) })
		if err != nil || n == 0 {
			return err
		}
		// ino 8, off 8, reclen 2, type 1, name:
		// https://man7.org/linux/man-pages/man2/getdents.2.html
		for p := buf[:n]; len(p) > 19; {
			length := int(binary.NativeEndian.Uint16(p[16:]))
			raw, _, _ := bytes.Cut(p[19:length], []byte{0})
			name := string(raw)
			kind := uint32(p[18]) << 12 // DT_ values are S_IF values without their zeros
			p = p[length:]
			if name == "." || name == ".." {
				continue
			}
			if kind == 0 {
				i, err := stat(fd, name)
				if err != nil {
					continue
				}
				kind = i.kind()
			}
			if !each(name, kind) {
				return nil
			}
		}
	}
}

// chmod changes the mode of a directory that one may not be able to read.
func chmod(dir int, name string, mode uint32) error {
	fd, err := stepwise(dir, name, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), mode&0o7777)
}
