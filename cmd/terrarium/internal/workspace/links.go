package workspace

import (
	"io/fs"
	"os"
	"path"
)

// Links finds the symbolic links that paths of a directory lead through. It looks once for each
// directory, and is for one goroutine.
type Links struct {
	root *os.Root
	at   map[string]string // by directories: what Before returns for what is in them
}

// NewLinks returns one for a directory, which stays the caller's.
func NewLinks(root *os.Root) *Links {
	return &Links{root, map[string]string{".": ""}}
}

// Before returns the first symbolic link that a path leads through, or "" if it leads through none.
// What is at the path itself does not count.
func (l *Links) Before(p string) string {
	dir := path.Dir(p)
	link, known := l.at[dir]
	if known {
		return link
	}
	if link = l.Before(dir); link == "" {
		if info, err := l.root.Lstat(dir); err == nil && info.Mode().Type() == fs.ModeSymlink {
			link = dir
		}
	}
	l.at[dir] = link
	return link
}
