package wasi

import "github.com/terrarium-dev/terrarium/hostwasm/vfs"

// Files is the tree of files that a process sees. *vfs.Tree is one; bring
// another to serve files of your own. Methods are safe for concurrent use and
// their errors are of type errno.Errno. Two of them are compared with ==, so
// that one should be a pointer.
type Files interface {
	// Open returns a file, and its absolute path with all links resolved.
	Open(p vfs.Path, how vfs.How) (f vfs.File, path string, err error)
	Stat(p vfs.Path) (vfs.Stat, error)
	Readlink(p vfs.Path) (string, error)
	Mkdir(p vfs.Path, mode vfs.Mode) error
	Unlink(p vfs.Path) error
	Rmdir(p vfs.Path) error
	Rename(old, new vfs.Path) error
	Link(old, new vfs.Path) error
	Symlink(target string, p vfs.Path) error
	SetTimes(p vfs.Path, t vfs.Times) error
	SetMode(p vfs.Path, mode vfs.Mode) error
}
