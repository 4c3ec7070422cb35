package workspace

import (
	"io/fs"
	"iter"
	"os"
	"strings"
)

// Links finds the symbolic links that paths of a directory lead through. It looks once for each
// directory, and no further than a path leads through directories that are there. So what it keeps
// is these, and one more for a path at the most. It is for one goroutine.
type Links struct {
	root *os.Root
	at   map[string]fs.FileMode // types of what paths lead through: see typeOf
}

// NewLinks returns one for a directory, which stays the caller's.
func NewLinks(root *os.Root) *Links {
	return &Links{root, make(map[string]fs.FileMode)}
}

// Before returns the first symbolic link that a path leads through, or "" if it leads through none.
// What is at the path itself does not count.
func (l *Links) Before(p string) string {
	for dir := range above(p) {
		switch l.typeOf(dir) {
		case fs.ModeDir:
		case fs.ModeSymlink:
			return dir
		default:
			return ""
		}
	}
	return ""
}

// typeOf returns the type of what is where a path leads through; ModeIrregular if nothing is.
func (l *Links) typeOf(dir string) fs.FileMode {
	if mode, known := l.at[dir]; known {
		return mode
	}
	mode := fs.ModeIrregular
	if info, err := l.root.Lstat(dir); err == nil {
		mode = info.Mode().Type()
	}
	l.at[dir] = mode
	return mode
}

// above yields the directories that a path leads through, from the top down, without ".".
func above(p string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := strings.IndexByte(p, '/'); i >= 0; {
			if !yield(p[:i]) {
				return
			}
			next := strings.IndexByte(p[i+1:], '/')
			if next < 0 {
				return
			}
			i += 1 + next
		}
	}
}
