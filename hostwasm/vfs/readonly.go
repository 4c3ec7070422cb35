package vfs

import (
	"path"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// ReadOnly returns fs without the means to change it: what would is EROFS, if
// nothing else is wrong with it.
func ReadOnly(fs FS) FS {
	if w, ok := fs.(Waiting); ok {
		return waitingReadOnly{readOnly{fs}, w}
	}
	return readOnly{fs}
}

type readOnly struct{ FS }

// A waitingReadOnly is one whose file system may have to wait.
type waitingReadOnly struct {
	readOnly
	waits Waiting
}

// Waiting implements Waiting.
func (r waitingReadOnly) Waiting(wait Wait) FS { return readOnly{r.waits.Waiting(wait)} }

func (r readOnly) Open(name string, how How) (File, error) {
	if how.Create {
		err := r.create(name)
		switch {
		case err != errno.EXIST || how.Exclusive:
			return nil, err
		}
		how.Create = false
	}
	changes := how.Write || how.Truncate
	how.Write, how.Truncate, how.Append = false, false, false
	f, err := r.FS.Open(name, how)
	if err != nil {
		return nil, err
	}
	if changes {
		s, err := f.Stat()
		f.Close()
		if err == nil && s.Type == Directory {
			return nil, errno.ISDIR
		}
		return nil, errno.ROFS
	}
	return readOnlyFile{f}, nil
}

// create is why nothing can be made.
func (r readOnly) create(name string) error {
	_, err := r.Lstat(name)
	switch {
	case err == nil:
		return errno.EXIST
	case err != errno.NOENT:
		return err
	}
	return r.change(path.Dir(name))
}

// change is why something cannot be changed.
func (r readOnly) change(name string) error {
	if _, err := r.Lstat(name); err != nil {
		return err
	}
	return errno.ROFS
}

func (r readOnly) Mkdir(name string, _ Mode) error     { return r.create(name) }
func (r readOnly) Symlink(_, name string) error        { return r.create(name) }
func (r readOnly) Unlink(name string) error            { return r.change(name) }
func (r readOnly) Rmdir(name string) error             { return r.change(name) }
func (r readOnly) SetTimes(name string, _ Times) error { return r.change(name) }
func (r readOnly) SetMode(name string, _ Mode) error   { return r.change(name) }
func (r readOnly) Rename(old, new string) error        { return r.change(old) }
func (r readOnly) Link(old, new string) error {
	if err := r.change(old); err != errno.ROFS {
		return err
	}
	return r.create(new)
}

// A readOnlyFile was not opened for writing. What needs no such right is
// refused here.
type readOnlyFile struct{ File }

// Settle implements Settler for files that do not.
func (f readOnlyFile) Settle(wait Wait) error { return Settle(f.File, wait) }

func (readOnlyFile) SetTimes(Times) error               { return errno.ROFS }
func (readOnlyFile) Truncate(int64) error               { return errno.BADF }
func (readOnlyFile) Allocate(int64, int64) error        { return errno.BADF }
func (readOnlyFile) WriteAt([]byte, int64) (int, error) { return 0, errno.BADF }
