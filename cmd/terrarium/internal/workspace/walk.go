package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// walkBatch is how many entries of a directory are read at once.
const walkBatch = 256

// walk has visit called for what is below a directory: a directory before what is in it, and
// otherwise in no order. fs.SkipDir passes over a directory. Of more than MaxEntries entries, or
// deeper than a path may be, it fails: who writes there may make them as fast as they are read.
func walk(root *os.Root, dir string, visit func(p string, d fs.DirEntry) error) error {
	return newWalker(root, dir, visit).walk(dir)
}

func newWalker(root *os.Root, dir string, visit func(p string, d fs.DirEntry) error) *walker {
	return &walker{root: root, top: strings.Count(dir, "/"), most: MaxEntries, visit: visit}
}

type walker struct {
	root    *os.Root
	top     int // how many slashes are in the path of the directory
	entries int
	most    int // of them
	visit   func(p string, d fs.DirEntry) error
}

// walk opens one directory at a time.
func (w *walker) walk(dir string) error {
	if strings.Count(dir, "/")-w.top > maxDepth {
		return &PathError{dir, wrongDepth}
	}
	below, err := w.read(dir)
	for _, p := range below {
		if err == nil {
			err = w.walk(p)
		}
	}
	return err
}

// read visits the entries of one directory, and returns those that are directories.
func (w *walker) read(dir string) (below []string, err error) {
	err = eachEntry(w.root, dir, func(d fs.DirEntry) error {
		if w.entries++; w.entries > w.most {
			return ErrTooMany
		}
		p := path.Join(dir, d.Name())
		switch err := w.visit(p, d); {
		case err == fs.SkipDir:
		case err != nil:
			return err
		case d.IsDir():
			below = append(below, p)
		}
		return nil
	})
	return below, err
}

// eachEntry has visit called for each entry of one directory, up to an error. It keeps a few at
// once, however many there are.
func eachEntry(root *os.Root, dir string, visit func(d fs.DirEntry) error) error {
	f, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil // somebody has just removed it
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(walkBatch)
		for _, d := range entries {
			if err := visit(d); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
