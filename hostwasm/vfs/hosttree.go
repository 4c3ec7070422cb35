//go:build linux || darwin

package vfs

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A treeWalk goes through a directory tree of the host. It has two descriptors
// open at most, and passes one component at a time to the system, so that a
// tree may be of any depth: guests make trees that are deeper than a path may
// be long, and than a process may have files open. Links are not followed.
type treeWalk struct {
	// visit is called for everything below the top, for a directory before it is
	// entered.
	visit func(e treeEntry) error
	// after, if not nil, is called when all below a directory is done. dir is
	// where it has its name.
	after func(dir int, name string) error
}

// A treeEntry is what a treeWalk has come to.
type treeEntry struct {
	dir    int // where it has its name
	name   string
	stat   *unix.Stat_t
	length int // of its path from the top, in bytes
}

func (e treeEntry) isDir() bool { return e.stat.Mode&unix.S_IFMT == unix.S_IFDIR }

// A level is a directory on the way from the top to where a treeWalk is.
type level struct {
	name   string
	length int // of its path from the top, with the slash behind it
	inode  inode
	rest   []string // directories in it that are still to be entered
}

// errMoved is the error for a tree that somebody rearranges meanwhile.
var errMoved = errors.New("a directory was moved while its tree was read")

// run walks the tree below a directory, which has its name in dir. The first
// error ends it, but what has gone meanwhile is left out.
func (w *treeWalk) run(dir int, name string) error {
	at, err := openTree(dir, name)
	if err != nil {
		return err
	}
	defer func() { at.Close() }()
	var levels []level
	enter := func(name string, length int) error {
		l, err := w.list(at, level{name: name, length: length})
		levels = append(levels, l)
		return err
	}
	if err := enter(name, 0); err != nil {
		return err
	}
	for {
		here := &levels[len(levels)-1]
		if n := len(here.rest); n > 0 {
			name := here.rest[n-1]
			here.rest = here.rest[:n-1]
			below, err := openTree(int(at.Fd()), name)
			if err == unix.ENOENT || err == unix.ENOTDIR {
				continue
			}
			if err != nil {
				return err
			}
			at.Close()
			at = below
			if err := enter(name, here.length+len(name)+1); err != nil {
				return err
			}
			continue
		}
		done := here.name
		if levels = levels[:len(levels)-1]; len(levels) == 0 {
			return nil
		}
		above, err := openTree(int(at.Fd()), "..")
		if err != nil {
			return err
		}
		at.Close()
		at = above
		back := &levels[len(levels)-1]
		if i, err := inodeAt(int(at.Fd())); err != nil || i != back.inode {
			return errors.Join(errMoved, err)
		}
		if w.after != nil {
			if err := w.after(int(at.Fd()), done); err != nil {
				return err
			}
		}
	}
}

// list visits all that is in a directory, which is open as at, and notes which
// directories there are.
func (w *treeWalk) list(at *os.File, l level) (level, error) {
	dir := int(at.Fd())
	var err error
	if l.inode, err = inodeAt(dir); err != nil {
		return l, err
	}
	for {
		names, end := at.Readdirnames(1024)
		for _, name := range names {
			s, err := statAt(dir, name)
			if err == unix.ENOENT {
				continue
			}
			if err != nil {
				return l, err
			}
			e := treeEntry{dir, name, &s, l.length + len(name)}
			if err := w.visit(e); err != nil {
				return l, err
			}
			if e.isDir() {
				l.rest = append(l.rest, name)
			}
		}
		switch {
		case end == io.EOF || errors.Is(end, unix.ENOENT): // ENOENT: somebody has removed it
			return l, nil
		case end != nil:
			return l, end
		}
	}
}

func openTree(dir int, name string) (*os.File, error) {
	fd, err := open(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}
