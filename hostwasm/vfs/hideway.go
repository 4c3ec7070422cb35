//go:build linux || darwin

package vfs

import (
	"errors"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// walk notes the names that lead to a directory, as whoever opens it by that
// path goes: through each symbolic link on the way, and as far as it goes if it
// is not there. Inodes alone are not enough:
//
//   - A guest would remove a symbolic link on the way, which is no hidden
//     directory, and make a directory of that name. The next host takes it for
//     its own.
//   - A person removes the hidden directory, and a host makes it again, with
//     another inode. A guest that runs all the while would reach that one.
func (h *Hidden) walk(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	at, err := open(unix.AT_FDCWD, "/", unix.O_DIRECTORY|searchOnly, 0)
	if err != nil {
		return err
	}
	defer func() { unix.Close(at) }()
	links := 0
	for rest := dir; ; {
		rest = strings.TrimLeft(rest, "/")
		name, after, _ := strings.Cut(rest, "/")
		rest = after
		here, err := inodeAt(at)
		if err != nil {
			return err
		}
		h.above[here] = true
		if name == "" {
			delete(h.above, here) // the directory itself: add knows it
			return nil
		}
		s, err := statAt(at, name)
		switch {
		case err == unix.ENOENT:
			h.addWay(here, name, inode{})
			return nil
		case err == unix.EACCES || err == unix.ENOTDIR:
			return nil // nobody comes this way
		case err != nil:
			return err
		}
		if name != "." && name != ".." {
			h.addWay(here, name, inodeOf(&s))
		}
		next, from := name, at
		if s.Mode&unix.S_IFMT == unix.S_IFLNK {
			if links++; links > maxLinks {
				return unix.ELOOP
			}
			target, err := readlinkAt(at, name)
			if err != nil {
				return err
			}
			rest = target + "/" + rest
			if !filepath.IsAbs(target) {
				continue
			}
			next, from = "/", unix.AT_FDCWD
		}
		below, err := open(from, next, unix.O_DIRECTORY|searchOnly, 0)
		switch {
		case err == unix.EACCES || err == unix.ENOTDIR || err == unix.ENOENT:
			return nil
		case err != nil:
			return err
		}
		unix.Close(at)
		at = below
	}
}

func readlinkAt(dir int, name string) (target string, err error) {
	buf := make([]byte, maxPath+1)
	n := 0
	err = ignoringEINTR(func() error {
		n, err = unix.Readlinkat(dir, name, buf)
		return err
	})
	return string(buf[:max(n, 0)]), err
}

func inodeAt(fd int) (inode, error) {
	var s unix.Stat_t
	err := ignoringEINTR(func() error { return unix.Fstat(fd, &s) })
	return inodeOf(&s), err
}

func (h *Hidden) addWay(dir inode, name string, was inode) {
	if h.ways[name] == nil {
		h.ways[name] = make(map[inode]inode)
	}
	h.ways[name][dir] = was
}

// isWay reports whether a name in a directory leads to what is hidden.
func (h *Hidden) isWay(dir int, name string) bool {
	if h == nil || h.ways[name] == nil {
		return false // without a question to the system, as nearly always
	}
	here, err := inodeAt(dir)
	if err != nil {
		return true // who knows
	}
	_, is := h.ways[name][here]
	return is
}

// keepWay refuses to make, remove or replace a name that leads to what is hidden.
func (h *Hidden) keepWay(dir int, name string) error {
	if h.isWay(dir, name) {
		return errno.PERM
	}
	return nil
}

// strayed reports whether a name that leads to what is hidden stands for
// something else by now, which is open as fd.
func (h *Hidden) strayed(dir int, name string, fd int) bool {
	if h == nil || h.ways[name] == nil {
		return false
	}
	here, errHere := inodeAt(dir)
	was, is := h.ways[name][here]
	if errHere == nil && !is {
		return false
	}
	now, errNow := inodeAt(fd)
	return errHere != nil || errNow != nil || now != was
}

// openPath opens a directory by its path, which has no links. It fails if a name
// on the way leads to what is hidden, and stands for something else by now.
func (h *Hidden) openPath(dir string, flags int) (fd int, err error) {
	if h == nil || len(h.ways) == 0 {
		return open(unix.AT_FDCWD, dir, unix.O_DIRECTORY|flags, 0)
	}
	at, err := open(unix.AT_FDCWD, "/", unix.O_DIRECTORY|searchOnly, 0)
	if err != nil {
		return -1, err
	}
	for rest := strings.Trim(dir, "/"); ; {
		name, after, more := strings.Cut(rest, "/")
		step := flags
		if more {
			step = searchOnly
		}
		if name == "" {
			name = "." // of the root
		}
		fd, err := open(at, name, unix.O_DIRECTORY|unix.O_NOFOLLOW|step, 0)
		strayed := err == nil && h.strayed(at, name, fd)
		unix.Close(at)
		switch {
		case err != nil:
			return -1, err
		case strayed:
			unix.Close(fd)
			return -1, errors.New("in the place of what is terrarium's own and not for guests")
		case !more:
			return fd, nil
		}
		at, rest = fd, after
	}
}
