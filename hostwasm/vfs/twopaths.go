package vfs

import (
	"cmp"
	"path"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// Rename moves a file or directory, over what has the new name if that is
// allowed to go: a file, or an empty directory in favour of a directory.
func (t *Tree) Rename(old, new Path) error {
	return t.at(old, never, func(from place) error {
		var ended error
		err := t.at(new, never, func(to place) error {
			ended = from.rename(to)
			return ended
		})
		if err != ended {
			// The new name led nowhere. As in the kernel, what is wrong with
			// the old directory goes first.
			return cmp.Or(from.dir(), err)
		}
		return err
	})
}

func (from place) rename(to place) error {
	switch {
	case from.end != named || to.end != named || from.node != nil || to.node != nil:
		return cmp.Or(from.dir(), to.dir(), error(errno.BUSY))
	case from.mount != to.mount:
		return cmp.Or(from.dir(), to.dir(), error(errno.XDEV))
	case from.mount == nil:
		return errno.NOENT
	case from.slash || to.slash:
		if err := cmp.Or(from.dir(), to.dir()); err != nil {
			return err
		}
		s, err := from.lstat()
		switch {
		case err != nil:
			return err
		case s.Type != Directory:
			return errno.NOTDIR
		}
	}
	return from.fs().Rename(from.name, to.name)
}

// dir is what is wrong with the directory that has, or would have, the place.
func (at place) dir() error {
	if at.isDir() {
		return nil
	}
	s, err := at.tree.place(path.Dir(at.path), at.wait).lstat()
	switch {
	case err != nil:
		return err
	case s.Type == SymbolicLink:
		return errno.LOOP
	case s.Type != Directory:
		return errno.NOTDIR
	}
	return nil
}

// Link gives a file one more name. The link itself gets it if old is a
// symbolic link, unless that is to be followed.
func (t *Tree) Link(old, new Path) error {
	return t.at(old, asked, func(from place) error {
		if _, err := from.found(old.Follow); err != nil {
			return err
		}
		return t.at(new, never, func(to place) error {
			if err := to.free(); err != nil {
				return err
			}
			switch {
			case from.isDir():
				if _, err := to.lstat(); err == nil {
					return errno.EXIST
				}
				return cmp.Or(to.dir(), error(errno.PERM))
			case from.mount != to.mount:
				return errno.XDEV
			}
			return from.fs().Link(from.name, to.name)
		})
	})
}
