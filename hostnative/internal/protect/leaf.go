//go:build linux || darwin

package protect

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// A leaf is a protected file, or what is in the place of one.
type leaf struct {
	info
	kind kind
	// the directory without which it is nothing: a repository's, or the one that has .vscode
	anchor string
	recent bool // it may have changed again, with the same times
	// touched: it was written since we know it. One that is mapped into memory can change for a
	// while without new times, so it is read each time.
	touched bool

	loaded bool // what is below is known
	link   string
	held   bool // data is all of it
	data   []byte
	sum    [sha256.Size]byte
	opaque bool // it was not read: too large, or not ours to read
}

// load reads what is in a leaf. Up to room bytes are held, and it returns how many are.
func (r *root) load(name string, l *leaf, limits Limits, room int64) int64 {
	if l.loaded {
		return int64(len(l.data))
	}
	l.loaded = true
	switch l.info.kind() {
	case unix.S_IFLNK:
		l.link, l.opaque = r.readlink(name)
		return 0
	case unix.S_IFREG:
	default:
		l.opaque = true
		return 0
	}
	f, i, err := r.regular(name)
	if err != nil || i.size > limits.Total {
		l.opaque = true
		return 0
	}
	defer f.Close()
	l.info = i
	sum := sha256.New()
	if i.size <= min(limits.File, room) {
		data, err := io.ReadAll(io.LimitReader(f, i.size+1)) // it may grow meanwhile
		if err == nil && int64(len(data)) <= i.size {
			l.held, l.data = true, data
			sum.Write(data)
			sum.Sum(l.sum[:0])
			return int64(len(data))
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			l.opaque = true
			return 0
		}
	}
	if _, err := io.Copy(sum, io.LimitReader(f, limits.Total)); err != nil {
		l.opaque = true
	}
	sum.Sum(l.sum[:0])
	return 0
}

func (r *root) readlink(name string) (to string, opaque bool) {
	var buf [4096]byte
	var n int
	err := r.in(path.Dir(name), func(dir int) (err error) {
		n, err = unix.Readlinkat(dir, path.Base(name), buf[:])
		return err
	})
	return string(buf[:n]), err != nil
}

var errNotRegular = errors.New("it is not a regular file")

// regular opens a regular file, without waiting as for a FIFO.
func (r *root) regular(name string) (*os.File, info, error) {
	i, err := stat(r.fd, name)
	if err == nil && i.kind() != unix.S_IFREG {
		err = errNotRegular
	}
	if err != nil {
		return nil, info{}, err
	}
	fd, err := r.open(r.fd, name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return nil, info{}, err
	}
	f := os.NewFile(uintptr(fd), "protected file")
	i, err = stat(fd, "")
	if err == nil && i.kind() != unix.S_IFREG {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, info{}, err
	}
	return f, i, nil
}

// untouched reports whether nothing can have happened to a file between two looks.
func (l *leaf) untouched(now *leaf) bool {
	return !l.recent && !l.touched && l.info == now.info
}

// differs says how now is not as l was, or "". Both are loaded.
func (l *leaf) differs(now *leaf) Kind {
	switch {
	case l.info.kind() != now.info.kind():
		if now.info.kind() == unix.S_IFLNK {
			return Link
		}
		return Changed
	case l.link != now.link:
		return Link
	case l.info.kind() == unix.S_IFLNK:
		return ""
	case l.opaque || now.opaque:
		if l.info.kind() == unix.S_IFREG && (l.size != now.size || l.ino != now.ino || l.ctime != now.ctime) ||
			l.info.kind() != unix.S_IFREG && l.ino != now.ino {
			return Changed
		}
	case l.sum != now.sum || l.size != now.size:
		return Changed
	}
	switch {
	case l.perm() != now.perm() || l.uid != now.uid || l.gid != now.gid:
		return Mode
	case now.nlink > max(l.nlink, 1):
		return Link
	}
	return ""
}

// adopt takes over what is known about content from a leaf that has the same.
func (l *leaf) adopt(was *leaf) {
	l.loaded, l.link, l.held, l.data, l.sum, l.opaque = was.loaded, was.link, was.held, was.data, was.sum, was.opaque
}

var errNotHeld = errors.New("what was there before was too large to be held, or no file that can be")

// put makes name what l was. A directory that is in the way gets another name, which it returns.
func (r *root) put(name string, l *leaf, base *scan) (aside string, err error) {
	if l.info.kind() == unix.S_IFREG && !l.held {
		return "", errNotHeld
	}
	if l.info.kind() != unix.S_IFREG && l.info.kind() != unix.S_IFLNK {
		return "", errNotHeld
	}
	dir, last := path.Dir(name), path.Base(name)
	if err := r.directories(dir, l.anchor, base); err != nil {
		return "", err
	}
	err = r.writable(dir, func(fd int) error {
		temporary, err := r.write(fd, l)
		if err != nil {
			return err
		}
		err = unix.Renameat(fd, temporary, fd, last)
		if err == unix.EISDIR || err == unix.ENOTEMPTY || err == unix.EEXIST {
			inert := temporaryName()
			if err = unix.Renameat(fd, last, fd, inert); err == nil {
				aside = r.full(path.Join(dir, inert))
				err = unix.Renameat(fd, temporary, fd, last)
			}
		}
		if err != nil {
			unix.Unlinkat(fd, temporary, 0)
		}
		return err
	})
	return aside, err
}

// write makes a new file in a directory that is what l was, under another name.
func (r *root) write(dir int, l *leaf) (name string, err error) {
	name = temporaryName()
	if l.info.kind() == unix.S_IFLNK {
		return name, unix.Symlinkat(l.link, dir, name)
	}
	fd, err := again(func() (int, error) {
		return unix.Openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	})
	if err != nil {
		return "", err
	}
	f := os.NewFile(uintptr(fd), "protected file")
	_, err = f.Write(l.data)
	if i, serr := stat(fd, ""); err == nil && serr == nil && (i.uid != l.uid || i.gid != l.gid) {
		// Only root can, and for others it matters less than content.
		if unix.Fchown(fd, int(l.uid), int(l.gid)) != nil {
			unix.Fchown(fd, -1, int(l.gid))
		}
	}
	times := []unix.Timespec{unix.NsecToTimespec(l.mtime), unix.NsecToTimespec(l.mtime)}
	err = errors.Join(err, unix.Fchmod(fd, l.perm()), unix.UtimesNanoAt(dir, name, times, unix.AT_SYMLINK_NOFOLLOW), f.Close())
	if err != nil {
		unix.Unlinkat(dir, name, 0)
	}
	return name, err
}

// directories makes what lacks of a directory, below the one that has to be there.
func (r *root) directories(name, anchor string, base *scan) error {
	if name == anchor || name == "." {
		return nil
	}
	if i, err := stat(r.fd, name); err == nil && i.dir() {
		return nil
	}
	if err := r.directories(path.Dir(name), anchor, base); err != nil {
		return err
	}
	mode := uint32(0o755)
	if d := base.dirs[name]; d != nil {
		mode = d.perm()
	}
	return r.writable(path.Dir(name), func(fd int) error {
		err := unix.Mkdirat(fd, path.Base(name), 0o700)
		if err != nil && err != unix.EEXIST {
			return err
		}
		return chmod(fd, path.Base(name), mode)
	})
}

// take takes a file away. What is not a directory goes under a name that nothing looks for, is
// handed to keep and removed: what was kept is what was there.
func (r *root) take(name string, keep func(inert string)) error {
	dir := path.Dir(name)
	return r.writable(dir, func(fd int) error {
		inert := temporaryName()
		if err := unix.Renameat(fd, path.Base(name), fd, inert); err != nil {
			return err
		}
		keep(path.Join(dir, inert))
		return unix.Unlinkat(fd, inert, 0)
	})
}

// text reports whether a leaf is a regular file with this in it, but for blanks around it.
func (l *leaf) text(want string) bool { return l.held && string(bytes.TrimSpace(l.data)) == want }
