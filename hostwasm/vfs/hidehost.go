//go:build linux || darwin

package vfs

import (
	"errors"
	"fmt"
	"maps"
	"os"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// Hide returns directories for HostOptions.Hidden. Of one that is not there the
// name is kept: no guest makes it, and what somebody else makes there is closed.
func Hide(dirs ...string) (*Hidden, error) {
	h := &Hidden{
		dirs: make(map[inode]hiddenDir), above: make(map[inode]bool),
		ways: make(map[string]map[inode]inode), loose: make(map[int64]bool),
	}
	for _, dir := range dirs {
		if err := h.walk(dir); err != nil {
			return nil, fmt.Errorf("hide %s: %w", shown(dir), err)
		}
		fd, err := open(unix.AT_FDCWD, dir, unix.O_DIRECTORY|searchOnly, 0)
		if err == unix.ENOENT {
			continue
		}
		if err == nil {
			err = h.add(fd, dir)
			unix.Close(fd)
		}
		if err != nil {
			return nil, fmt.Errorf("hide %s: %w", shown(dir), err)
		}
	}
	return h, nil
}

// And returns h and more directories, as Hide does. h stays as it is.
func (h *Hidden) And(dirs ...string) (*Hidden, error) {
	if len(dirs) == 0 {
		return h, nil
	}
	both, err := Hide(dirs...)
	if err != nil || h == nil {
		return both, err
	}
	maps.Copy(both.dirs, h.dirs)
	maps.Copy(both.above, h.above)
	for name, ways := range h.ways {
		for dir, was := range ways {
			both.addWay(dir, name, was)
		}
	}
	maps.Copy(both.loose, h.loose)
	return both, nil
}

func (h *Hidden) add(fd int, dir string) error {
	var fs unix.Statfs_t
	if err := ignoringEINTR(func() error { return unix.Fstatfs(fd, &fs) }); err != nil {
		return err
	}
	if !wholeMounted(fd) {
		h.loose[int64(fs.Type)] = true
	}
	first := true
	return climb(fd, func(at int, s *unix.Stat_t) bool {
		if first {
			h.dirs[inodeOf(s)], first = hiddenDir{dir, lastingBirth(at, int64(fs.Type))}, false
		} else {
			h.above[inodeOf(s)] = true
		}
		return true
	})
}

// climb calls f with a directory, the one that it is in, and so on up to the
// root, as long as f returns true. at is open, and s describes it.
func climb(fd int, f func(at int, s *unix.Stat_t) bool) (err error) {
	var s unix.Stat_t
	at, last := fd, inode{}
	for {
		if err = ignoringEINTR(func() error { return unix.Fstat(at, &s) }); err != nil {
			break
		}
		i := inodeOf(&s)
		if i == last || !f(at, &s) {
			break
		}
		last = i
		up, openErr := open(at, "..", unix.O_DIRECTORY|searchOnly, 0)
		if at != fd {
			unix.Close(at)
		}
		switch {
		case openErr == unix.EACCES:
			return nil // who can't go up can't come down
		case openErr != nil:
			return openErr
		}
		at = up
	}
	if at != fd {
		unix.Close(at)
	}
	return err
}

func inodeOf(s *unix.Stat_t) inode { return inode{uint64(s.Dev), s.Ino} }

// has reports whether a file is a hidden directory. s describes the name in dir, or dir itself, if
// name is empty. A nil Hidden has none.
//
// The number alone does not tell. Hidden is also what others remove, such as the directory for /tmp
// of another terrarium: its number is free then, and the next file that a guest makes may get it.
// The guest would be refused its own file. What is no directory is none of ours, and another one
// was made at another time.
func (h *Hidden) has(dir int, name string, s *unix.Stat_t) bool {
	if h == nil {
		return false
	}
	hidden, ok := h.dirs[inodeOf(s)]
	if !ok || !isDirectory(s) {
		return false
	}
	now := birthOf(dir, name)
	return hidden.born == birth{} || now == birth{} || now == hidden.born
}

// leads reports whether a hidden directory is there, or below.
func (h *Hidden) leads(dir int, name string, s *unix.Stat_t) bool {
	if h == nil {
		return false
	}
	return h.above[inodeOf(s)] && isDirectory(s) || h.has(dir, name, s)
}

func isDirectory(s *unix.Stat_t) bool { return s.Mode&unix.S_IFMT == unix.S_IFDIR }

// checkMount says why a directory can't be handed over: it is hidden, or below
// what is.
func (h *Hidden) checkMount(fd int) error {
	if h == nil || len(h.dirs) == 0 {
		return nil
	}
	hidden, here := "", true
	err := climb(fd, func(at int, s *unix.Stat_t) bool {
		if h.has(at, "", s) {
			hidden = h.dirs[inodeOf(s)].name
			return false
		}
		here = false
		return true
	})
	switch {
	case err != nil:
		return err
	case hidden != "" && here:
		return errors.New("terrarium's own and not for guests")
	case hidden != "":
		return fmt.Errorf("inside %s, which is terrarium's own and not for guests", shown(hidden))
	}
	return nil
}

// near reports whether a name below a directory might lead to a hidden one, even
// if no other file system is mounted on the way.
func (h *Hidden) near(fd int, i inode) bool {
	if h == nil || h.above[i] {
		return h != nil
	}
	if len(h.loose) == 0 {
		return false
	}
	var fs unix.Statfs_t
	err := ignoringEINTR(func() error { return unix.Fstatfs(fd, &fs) })
	return err != nil || h.loose[int64(fs.Type)]
}

// MayBeBelow reports whether what is hidden may be below an open directory, by a
// name for it that we don't know and that something mounted there makes, too. It
// is of a descriptor, since a guest may put another directory in the place of a
// path between this and whatever is done by that path.
func (h *Hidden) MayBeBelow(dir *os.File) bool {
	if h == nil {
		return false
	}
	raw, err := dir.SyscallConn()
	if err != nil {
		return true
	}
	may := true
	err = raw.Control(func(n uintptr) {
		fd := int(n)
		i, err := inodeAt(fd)
		may = err != nil || h.near(fd, i) || mountedBelow(fd)
	})
	return may || err != nil
}

// isHidden reports whether a name in a directory is a hidden directory's.
func (h *hostDir) isHidden(dir int, name string) bool {
	s, err := statAt(dir, name)
	return err == nil && h.border.hidden.has(dir, name, &s)
}

// spare refuses to do something to what is hidden, or, if it is moved, leads
// there. No guest can put such a directory in the place of another one after
// that, since none can move it.
func (h *Hidden) spare(dir int, base string, moved bool) error {
	if h == nil {
		return nil
	}
	s, err := statAt(dir, base)
	if err == nil && (h.has(dir, base, &s) || moved && h.leads(dir, base, &s)) {
		return errno.PERM
	}
	return nil // what is wrong with the name will be found
}
