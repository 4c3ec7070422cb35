package main

import (
	"path"

	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// watched is a file system that notes what is changed in it. What is written to an
// open file counts for the name that it was opened by.
type watched struct {
	vfs.FS
	changes *changes
}

func (w watched) note(kind change, name string, err error) error {
	if err == nil {
		w.changes.add(kind, path.Join("/", name))
	}
	return err
}

func (w watched) Open(name string, how vfs.How) (vfs.File, error) {
	made := false
	if how.Create && !how.Exclusive {
		_, err := w.FS.Lstat(name)
		made = err != nil
	}
	f, err := w.FS.Open(name, how)
	if err != nil {
		return nil, err
	}
	switch {
	case how.Create && (how.Exclusive || made):
		w.note(created, name, nil)
	case how.Truncate:
		w.note(changed, name, nil)
	}
	if !how.Write && !how.Append {
		return f, nil
	}
	return watchedFile{f, w, name}, nil
}

func (w watched) Mkdir(name string, mode vfs.Mode) error {
	return w.note(created, name, w.FS.Mkdir(name, mode))
}

func (w watched) Unlink(name string) error { return w.note(deleted, name, w.FS.Unlink(name)) }
func (w watched) Rmdir(name string) error  { return w.note(deleted, name, w.FS.Rmdir(name)) }

// Rename tells of the two names, not of what is below them where it is a
// directory that moves.
func (w watched) Rename(old, new string) error {
	if err := w.FS.Rename(old, new); err != nil {
		return err
	}
	w.note(deleted, old, nil)
	return w.note(created, new, nil)
}

func (w watched) Link(old, new string) error { return w.note(created, new, w.FS.Link(old, new)) }

func (w watched) Symlink(target, name string) error {
	return w.note(created, name, w.FS.Symlink(target, name))
}

func (w watched) SetTimes(name string, t vfs.Times) error {
	return w.note(changed, name, w.FS.SetTimes(name, t))
}

func (w watched) SetMode(name string, mode vfs.Mode) error {
	return w.note(changed, name, w.FS.SetMode(name, mode))
}

// A watchedFile is open for writing.
type watchedFile struct {
	vfs.File
	in   watched
	name string
}

func (f watchedFile) WriteAt(p []byte, offset int64) (n int, err error) {
	n, err = f.File.WriteAt(p, offset)
	if n > 0 {
		f.in.note(changed, f.name, nil)
	}
	return n, err
}

func (f watchedFile) Truncate(size int64) error {
	return f.in.note(changed, f.name, f.File.Truncate(size))
}

func (f watchedFile) Allocate(offset, length int64) error {
	return f.in.note(changed, f.name, f.File.Allocate(offset, length))
}

func (f watchedFile) SetTimes(t vfs.Times) error {
	return f.in.note(changed, f.name, f.File.SetTimes(t))
}
