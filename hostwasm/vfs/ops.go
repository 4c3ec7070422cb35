package vfs

import (
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// Stat describes a file.
func (t *Tree) Stat(p Path) (s Stat, err error) {
	err = t.at(p, asked, func(at place) error {
		s, err = at.found(p.Follow)
		return err
	})
	return s, err
}

// found describes what is there. A link that is to be followed is ELOOP.
func (at place) found(follow bool) (Stat, error) {
	s, err := at.lstat()
	switch {
	case err != nil:
		return Stat{}, err
	case s.Type == SymbolicLink && (follow || at.slash):
		return Stat{}, errno.LOOP
	case s.Type != Directory && at.slash:
		return Stat{}, errno.NOTDIR
	}
	return s, nil
}

// Readlink returns where a symbolic link leads, as it was made. On a host this
// may tell of paths that the guest cannot see.
func (t *Tree) Readlink(p Path) (target string, err error) {
	p.Follow = false
	err = t.at(p, asked, func(at place) error {
		if at.slash {
			if _, err := at.found(false); err != nil {
				return err
			}
		}
		switch {
		case at.isDir():
			return errno.INVAL
		case at.mount == nil:
			return errno.NOENT
		}
		target, err = at.fs().Readlink(at.name)
		return err
	})
	return target, err
}

// SetTimes sets the times of a file.
func (t *Tree) SetTimes(p Path, times Times) error {
	return t.at(p, asked, func(at place) error {
		if p.Follow || at.slash {
			if _, err := at.found(p.Follow); err != nil {
				return err
			}
		}
		switch {
		case at.mount != nil:
			return at.fs().SetTimes(at.name, times)
		case at.node != nil:
			return errno.ROFS
		}
		return errno.NOENT
	})
}

// SetMode sets the permissions of a file or directory: see [FS].
func (t *Tree) SetMode(p Path, mode Mode) error {
	return t.at(p, asked, func(at place) error {
		if p.Follow || at.slash {
			if _, err := at.found(p.Follow); err != nil {
				return err
			}
		}
		switch {
		case at.mount != nil:
			return at.fs().SetMode(at.name, mode)
		case at.node != nil:
			return errno.ROFS
		}
		return errno.NOENT
	})
}

// Mkdir makes a directory, of mode 0o777 less the umask if mode is 0.
func (t *Tree) Mkdir(p Path, mode Mode) error {
	return t.at(p, never, func(at place) error {
		at.slash = false
		if err := at.free(); err != nil {
			return err
		}
		return at.fs().Mkdir(at.name, mode)
	})
}

// Symlink makes a symbolic link. What target says is not looked at, except that
// with Beneath it must not be absolute.
func (t *Tree) Symlink(target string, p Path) error {
	switch {
	case target == "":
		return errno.NOENT
	case len(target) > maxPath:
		return errno.NAMETOOLONG
	case !utf8.ValidString(target):
		return errno.ILSEQ
	case p.Beneath && target[0] == '/':
		return errno.PERM
	}
	return t.at(p, never, func(at place) error {
		if err := at.free(); err != nil {
			return err
		}
		return at.fs().Symlink(target, at.name)
	})
}

// free is why nothing can be made at a place, as far as the Tree knows.
func (at place) free() error {
	switch {
	case at.isDir():
		return errno.EXIST
	case at.mount == nil:
		return at.missing()
	case at.slash:
		// Only directories are made with a slash behind their names.
		if _, err := at.lstat(); err != nil {
			return err
		}
		return errno.EXIST
	}
	return nil
}

// Unlink removes anything but a directory.
func (t *Tree) Unlink(p Path) error {
	return t.at(p, never, func(at place) error {
		switch {
		case at.isDir():
			return errno.ISDIR
		case at.mount == nil:
			return errno.NOENT
		case at.slash:
			s, err := at.lstat()
			switch {
			case err != nil:
				return err
			case s.Type == Directory:
				return errno.ISDIR
			}
			return errno.NOTDIR
		}
		return at.fs().Unlink(at.name)
	})
}

// Rmdir removes an empty directory.
func (t *Tree) Rmdir(p Path) error {
	return t.at(p, never, func(at place) error {
		switch {
		case at.end == dot:
			return errno.INVAL
		case at.end == dotdot:
			return errno.NOTEMPTY
		case at.node != nil:
			return errno.BUSY
		case at.mount == nil:
			return errno.NOENT
		}
		return at.fs().Rmdir(at.name)
	})
}
