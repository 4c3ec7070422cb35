//go:build linux || darwin

package vfs

import (
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A hostDir is a directory of the host. All goes through the descriptor that
// OpenHost opened for it, or one that beneath opened below that: a name of more
// than one component is never handed to another system call.
type hostDir struct {
	root    descriptor
	border  border
	beneath beneath
	quota   *Quota
	blocks  bool   // see HostOptions
	setter  Setter // nil: we set modes and times ourselves
	names   Names  // nil: we do ourselves what takes a name

	// removing is held while a name is removed, and for reading from opening
	// a file until it is in open, so that what a file had is given back once, and
	// while a name is made, so that no directory is moved away from it.
	// It is not used without a quota, and taken after root.
	removing sync.RWMutex
	mu       sync.Mutex            // guards open
	open     map[uint64]*hostInode // by opaque number
	growing  sync.Mutex            // see resizing; taken after removing
	rooms    rooms
}

func (h *hostDir) Close() error { return h.root.close() }

// in calls f with the directory that has name, and the last component.
func (h *hostDir) in(name string, f func(dir int, base string) error) error {
	return h.root.use(func(root int) error {
		return h.parent(root, name, f)
	})
}

func (h *hostDir) parent(root int, name string, f func(dir int, base string) error) error {
	if len(name) > maxPath {
		return errno.NAMETOOLONG
	}
	i := strings.LastIndexByte(name, '/')
	if name == "." || i < 0 && plain(name) {
		return f(root, name)
	}
	if !plain(name) {
		return errno.INVAL // not as FS names things, and perhaps not below root
	}
	dir, err := h.beneath(root, &h.border, name[:i], unix.O_DIRECTORY|searchOnly, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return f(dir, name[i+1:])
}

func (h *hostDir) Lstat(name string) (s Stat, err error) {
	err = h.in(name, func(dir int, base string) error {
		host, err := statAt(dir, base)
		if err == nil && h.border.hidden.has(dir, base, &host) {
			return errno.PERM
		}
		s = stat(&host)
		return err
	})
	return s, err
}

// stat describes a file of the host. WASI knows no FIFOs.
func stat(s *unix.Stat_t) Stat {
	typ := Unknown
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		typ = RegularFile
	case unix.S_IFDIR:
		typ = Directory
	case unix.S_IFLNK:
		typ = SymbolicLink
	case unix.S_IFCHR:
		typ = CharacterDevice
	case unix.S_IFBLK:
		typ = BlockDevice
	case unix.S_IFSOCK:
		typ = SocketStream
	}
	return Stat{
		Ino:   opaque(uint64(s.Dev), s.Ino),
		Type:  typ,
		Mode:  ModeKnown | Mode(s.Mode&allBits),
		Nlink: uint64(s.Nlink),
		Size:  uint64(s.Size),
		Atim:  s.Atim.Nano(),
		Mtim:  s.Mtim.Nano(),
		Ctim:  s.Ctim.Nano(),
	}
}

func (h *hostDir) Readlink(name string) (target string, err error) {
	buf := make([]byte, maxPath+1)
	err = h.in(name, func(dir int, base string) error {
		n, err := unix.Readlinkat(dir, base, buf)
		target = string(buf[:max(n, 0)])
		return err
	})
	switch {
	case err != nil:
		return "", err
	case len(target) > maxPath:
		return "", errno.NAMETOOLONG
	case !utf8.ValidString(target):
		return "", errno.ILSEQ
	}
	return target, nil
}

// add makes a new name, which is charged with so many bytes.
func (h *hostDir) add(name string, bytes int64, f func(dir int, base string) error) error {
	if !h.quota.takeName(bytes) {
		if _, err := h.Lstat(name); err == nil {
			return errno.EXIST
		}
		return errno.DQUOT
	}
	err := h.in(name, func(dir int, base string) error {
		if err := h.border.hidden.keepWay(dir, base); err != nil {
			if _, known := statAt(dir, base); known == nil {
				return errno.EXIST
			}
			return err
		}
		if h.quota != nil {
			h.removing.RLock()
			defer h.removing.RUnlock()
		}
		return f(dir, base)
	})
	if err != nil {
		h.quota.giveFile()
		h.quota.giveBytes(bytes)
	}
	return err
}

func (h *hostDir) Mkdir(name string, mode Mode) error {
	err := h.add(name, h.entry(), func(dir int, base string) error {
		if h.names != nil {
			return h.names.Mkdir(name, mode)
		}
		return h.making(dir, name, base, func() error {
			return unix.Mkdirat(dir, base, uint32(mode.or(0o777)))
		})
	})
	if err == nil {
		h.unmask(name, mode)
	}
	return err
}

func (h *hostDir) Symlink(target, name string) error {
	return h.add(name, h.entry(), func(dir int, base string) error {
		if h.names != nil {
			return h.names.Symlink(target, name)
		}
		return h.naming(dir, name, func() error { return unix.Symlinkat(target, dir, base) })
	})
}

func (h *hostDir) Link(old, new string) error {
	return h.add(new, 0, func(dir int, base string) error {
		if h.names != nil {
			return h.names.Link(old, new)
		}
		return h.parent(h.root.fd, old, func(oldDir int, oldBase string) error {
			// Without AT_SYMLINK_FOLLOW a link itself gets the name.
			return h.naming(dir, new, func() error { return unix.Linkat(oldDir, oldBase, dir, base, 0) })
		})
	})
}

// errByName is why setTimesAt has not set times.
var errByName = errors.New("times can be set by name only")

func (h *hostDir) SetTimes(name string, t Times) error {
	err := h.in(name, func(dir int, base string) error {
		if err := h.border.hidden.spare(dir, base, false); err != nil {
			return err
		}
		return setTimesAt(dir, base, t, h.setter == nil)
	})
	if err == errByName {
		return h.setter.SetTimes(name, t)
	}
	return err
}

func (h *hostDir) Unlink(name string) error {
	return h.remove(name, func(dir int, base string) error {
		if h.names != nil {
			return h.names.Unlink(name)
		}
		err := unix.Unlinkat(dir, base, 0)
		if err == unix.EPERM && isDir(dir, base) {
			return unix.EISDIR // POSIX wants EPERM, and guests EISDIR
		}
		return err
	})
}

func (h *hostDir) Rmdir(name string) error {
	return h.remove(name, func(dir int, base string) error {
		if err := h.border.hidden.spare(dir, base, true); err != nil {
			return err
		}
		if h.names != nil {
			return h.names.Rmdir(name)
		}
		err := notEmpty(unix.Unlinkat(dir, base, unix.AT_REMOVEDIR))
		if err == nil {
			h.rooms.forget(name)
		}
		return err
	})
}

// notEmpty replaces what POSIX also allows for a directory with entries.
func notEmpty(err error) error {
	if err == unix.EEXIST {
		return unix.ENOTEMPTY
	}
	return err
}

func isDir(dir int, name string) bool {
	s, err := statAt(dir, name)
	return err == nil && s.Mode&unix.S_IFMT == unix.S_IFDIR
}
