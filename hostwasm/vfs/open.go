package vfs

import (
	"cmp"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// Open opens a file or directory and returns it with its absolute path, without
// links.
func (t *Tree) Open(p Path, how How) (f File, resolved string, err error) {
	if how.Create && how.Directory {
		return nil, "", errno.INVAL
	}
	// POSIX: with O_EXCL and O_CREAT a link is never followed.
	p.Follow = p.Follow && !(how.Create && how.Exclusive)
	following := asked
	if how.Create {
		following = noSlash // no file is created by such a name
	}
	err = t.at(p, following, func(at place) error {
		resolved = at.path
		f, err = at.open(how)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return f, resolved, nil
}

func (at place) open(how How) (File, error) {
	if at.isDir() {
		switch {
		case how.Create && how.Exclusive:
			return nil, errno.EXIST
		case how.Create || how.Write || how.Truncate:
			return nil, errno.ISDIR
		}
		return at.openDir()
	}
	if at.slash {
		if how.Create {
			return nil, cmp.Or(at.dir(), error(errno.ISDIR))
		}
		how.Directory = true
	}
	if at.mount == nil {
		if how.Create {
			return nil, at.missing()
		}
		return nil, errno.NOENT
	}
	f, err := at.fs().Open(at.name, how)
	if err != nil {
		return nil, err
	}
	return treeFile{f, at.mount.dev}, nil
}

// openDir opens what is known for a directory: its files, if a file system has
// some, and the mount points in it.
func (at place) openDir() (File, error) {
	f, err := at.openFiles()
	if err != nil || at.node == nil || len(at.node.children) == 0 {
		return f, err
	}
	return &pinnedDir{f, at}, nil
}

func (at place) openFiles() (File, error) {
	if at.mount == nil {
		return emptyDir{node: at.node}, nil
	}
	f, err := at.fs().Open(at.name, How{Read: true, Directory: true})
	if err == nil {
		return treeFile{f, at.mount.dev}, nil
	}
	if at.node != nil && at.node.mount == nil {
		return emptyDir{node: at.node}, nil // pinned, and no directory there
	}
	return nil, err
}

// A treeFile is a file of a mount.
type treeFile struct {
	File
	dev uint64
}

func (f treeFile) Stat() (Stat, error) {
	s, err := f.File.Stat()
	s.Dev = f.dev
	return s, err
}

// Settle implements Settler for files that do not.
func (f treeFile) Settle(wait Wait) error { return Settle(f.File, wait) }

// Stdio implements Stdio for files that do not.
func (f treeFile) Stdio() int {
	if s, ok := f.File.(Stdio); ok {
		return s.Stdio()
	}
	return -1
}
