package protect

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// A watch hears whether anything has happened to directories and files since it was last
// asked (inotify). What exactly is not its business: then a walk finds out. So an event
// that is lost costs a walk, and hides no change.
//
// A file is watched itself, too: what is written to it by another name is no event of the
// directory that we know it in. What is written to memory that is mapped is told when the
// file is closed, which it is when the last process that has it ends.
type watch struct {
	fd   int
	by   map[int32]inode
	have map[inode]bool
	buf  [4 << 10]byte // events; on the stack, it would have that of each new goroutine copied
}

type inode struct{ dev, ino uint64 }

const (
	watchDir  = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	watchFile = unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF

	// maxWatched bounds what one Snapshot takes of the user's fs.inotify.max_user_watches.
	maxWatched = 8192
	// maxReads bounds how often events are read at once: somebody may make them faster.
	maxReads = 256
)

// watchable are the file systems that tell of all that is done to them. Of one that another
// machine has, too, they don't.
var watchable = map[int64]bool{
	unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.F2FS_SUPER_MAGIC: true,
	unix.TMPFS_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true,
}

// newWatch returns a watch of nothing yet, or nil if some root can't be watched.
func newWatch(roots []*root) *watch {
	for _, r := range roots {
		var st unix.Statfs_t
		if unix.Fstatfs(r.fd, &st) != nil || !watchable[int64(st.Type)] {
			return nil
		}
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil
	}
	return &watch{fd: fd, by: map[int32]inode{}, have: map[inode]bool{}}
}

func (w *watch) close() {
	if w != nil {
		unix.Close(w.fd)
	}
}

// cover watches what a scan has found and that is not watched. It reports whether there was
// such: then it may have changed between the look and now. An error means that not all
// can be watched.
func (w *watch) cover(r *root) (added bool, err error) {
	if len(r.base.dirs)+len(r.base.leaves) > maxWatched || len(w.have) > 2*maxWatched {
		return false, unix.ENOSPC
	}
	for name, d := range r.base.dirs {
		new, err := w.add(r, name, d.info, unix.O_DIRECTORY, watchDir)
		if err != nil {
			return false, err
		}
		added = added || new
	}
	for name, l := range r.base.leaves {
		if l.info.kind() != unix.S_IFREG {
			continue
		}
		new, err := w.add(r, name, l.info, 0, watchFile)
		if err != nil {
			return false, err
		}
		added = added || new
	}
	return added, nil
}

func (w *watch) add(r *root, name string, i info, flags int, mask uint32) (added bool, err error) {
	at := inode{i.dev, i.ino}
	if w.have[at] {
		return false, nil
	}
	fd, err := r.open(r.fd, name, searchOnly|flags)
	if gone(err) {
		return true, nil // the next look sees what became of it
	}
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	now, err := stat(fd, "")
	if err != nil {
		return false, err
	}
	wd, err := unix.InotifyAddWatch(w.fd, fmt.Sprintf("/proc/self/fd/%d", fd), mask)
	if err != nil {
		return false, err
	}
	at = inode{now.dev, now.ino}
	w.by[int32(wd)], w.have[at] = at, true
	return true, nil
}

// heard reports whether anything has happened since it was last called. An error means that
// nobody knows what is watched any longer.
func (w *watch) heard() (some bool, err error) {
	for range maxReads {
		n, err := again(func() (int, error) { return unix.Read(w.fd, w.buf[:]) })
		switch {
		case err == unix.EAGAIN:
			return some, nil
		case err != nil:
			return true, err
		}
		some = true
		// wd 4, mask 4, cookie 4, len 4, name: https://man7.org/linux/man-pages/man7/inotify.7.html
		for p := w.buf[:n]; len(p) >= 16; {
			wd, mask := int32(binary.NativeEndian.Uint32(p)), binary.NativeEndian.Uint32(p[4:])
			p = p[16+int(binary.NativeEndian.Uint32(p[12:])):]
			switch {
			case mask&unix.IN_Q_OVERFLOW != 0:
				return true, unix.EOVERFLOW
			case mask&unix.IN_IGNORED != 0: // what it was is gone; its number may be another's
				delete(w.have, w.by[wd])
				delete(w.by, wd)
			}
		}
	}
	return true, unix.EOVERFLOW
}
