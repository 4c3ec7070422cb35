package vfs

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// An asker is a Provided for one caller, who waits by wait.
type asker struct {
	files *Provided
	wait  Wait // nil is as long as it takes
}

// waitFor returns what f does, in the way that a is to wait. undo, if not nil, gets
// what comes of it without an error when nobody wants it any longer.
//
// ctx ends when nobody wants it any longer: nothing is asked for then, and nothing is
// changed that has not begun to be.
func waitFor[T any](a asker, f func(ctx context.Context) (T, error), undo func(T)) (none T, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if a.wait == nil {
		return f(ctx)
	}
	var (
		value  T
		failed error
		over   atomic.Bool // one of the two has come to its end
	)
	err = a.wait(func() {
		value, failed = f(ctx)
		if over.Swap(true) && failed == nil && undo != nil {
			undo(value)
		}
	})
	if err == nil {
		return value, failed
	}
	if over.Swap(true) && failed == nil && undo != nil {
		undo(value)
	}
	return none, err
}

// waitToDo is waitFor for what returns nothing but an error.
func waitToDo(a asker, f func(ctx context.Context) error) error {
	_, err := waitFor(a, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) }, nil)
	return err
}

func (a asker) Lstat(name string) (Stat, error) {
	s, err := a.look(name)
	if err != nil {
		return Stat{}, err
	}
	return a.files.fill(name, s), nil
}

// look is Lstat without what the Provider does not know.
func (a asker) look(name string) (Stat, error) {
	if name == "." {
		return rootStat, nil
	}
	if s, ok := a.files.held(name); ok {
		return s, nil
	}
	return waitFor(a, func(ctx context.Context) (Stat, error) { return a.files.stat(ctx, name) }, nil)
}

// held describes a file of which we know more than the Provider does.
func (f *Provided) held(name string) (s Stat, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := f.nodes[name]; n != nil && n.dirty() {
		return n.told(), true
	}
	return s, false
}

func (a asker) Open(name string, how How) (File, error) {
	if name != "." {
		return waitFor(a, func(ctx context.Context) (File, error) { return a.files.open(ctx, name, how) }, func(f File) { f.Close() })
	}
	return a.files.openDir(name, rootStat, how)
}

func (f *Provided) open(ctx context.Context, name string, how How) (File, error) {
	unlock, err := f.locks.lock(ctx, name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if _, ok := f.held(name); ok {
		switch {
		case how.Create && how.Exclusive:
			return nil, errno.EXIST
		case how.Directory:
			return nil, errno.NOTDIR
		}
		return f.openFile(name, Stat{}, nil, how)
	}
	s, err := f.stat(ctx, name)
	switch {
	case err == errno.NOENT && how.Create:
		return f.create(ctx, name, how)
	case err != nil:
		return nil, err
	case how.Create && how.Exclusive:
		return nil, errno.EXIST
	case s.Type == SymbolicLink:
		return nil, errno.LOOP
	case s.Type == Directory:
		return f.openDir(name, s, how)
	case how.Directory:
		return nil, errno.NOTDIR
	case (how.Write || how.Truncate) && s.readOnly():
		return nil, errno.ACCES
	}
	var data []byte
	if how.Truncate {
		err = f.write(ctx, name, nil, true, true) // who opens it is told why it can't be
		how.Truncate = false
	} else {
		data, err = f.read(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	return f.openFile(name, s, data, how)
}

func (f *Provided) openDir(name string, s Stat, how How) (File, error) {
	switch {
	case how.Create && how.Exclusive:
		return nil, errno.EXIST
	case how.Create || how.Write || how.Truncate:
		return nil, errno.ISDIR
	}
	return &providedDir{files: f, name: name, stat: s}, nil
}

// create makes an empty file. Its name is locked.
func (f *Provided) create(ctx context.Context, name string, how How) (File, error) {
	if err := f.write(ctx, name, nil, true, !how.Exclusive); err != nil {
		return nil, err
	}
	now := f.o.Now().UnixNano()
	f.setMode(name, RegularFile, how.Mode.or(0o644)) // if there is room to keep it
	f.changed(Created, name)
	how.Truncate = false
	return f.openFile(name, Stat{Type: RegularFile, Mtim: now, Ctim: now}, nil, how)
}

func (a asker) Readlink(name string) (string, error) {
	s, err := a.Lstat(name)
	switch {
	case err != nil:
		return "", err
	case s.Type != SymbolicLink:
		return "", errno.INVAL
	}
	return "", errno.NOTSUP
}

func (a asker) Mkdir(name string, mode Mode) error {
	if name == "." {
		return errno.EXIST
	}
	return waitToDo(a, func(ctx context.Context) error {
		f := a.files
		unlock, err := f.locks.lock(ctx, name)
		if err != nil {
			return err
		}
		defer unlock()
		if _, err := f.stat(ctx, name); err != errno.NOENT {
			if err == nil {
				err = errno.EXIST
			}
			return err
		}
		if err := f.createDirectory(ctx, name); err != nil {
			return err
		}
		f.setMode(name, Directory, mode.or(0o755)) // if there is room to keep it
		f.changed(Created, name)
		return nil
	})
}

func (a asker) Unlink(name string) error {
	if name == "." {
		return errno.ISDIR
	}
	return waitToDo(a, func(ctx context.Context) error {
		f := a.files
		unlock, err := f.locks.lock(ctx, name)
		if err != nil {
			return err
		}
		defer unlock()
		s, err := f.stat(ctx, name)
		switch {
		case err != nil:
			return err
		case s.Type == Directory:
			return errno.ISDIR
		}
		return f.remove(ctx, name)
	})
}

func (a asker) Rmdir(name string) error {
	if name == "." {
		return errno.BUSY
	}
	return waitToDo(a, func(ctx context.Context) error {
		f := a.files
		unlock, err := f.locks.lock(ctx, name)
		if err != nil {
			return err
		}
		defer unlock()
		s, err := f.stat(ctx, name)
		switch {
		case err != nil:
			return err
		case s.Type != Directory:
			return errno.NOTDIR
		}
		if err := f.empty(ctx, name); err != nil {
			return err
		}
		return f.remove(ctx, name)
	})
}

// empty is why a directory can't be removed.
func (f *Provided) empty(ctx context.Context, name string) error {
	entries, err := f.list(ctx, name)
	if err == nil && len(entries) > 0 {
		err = errno.NOTEMPTY
	}
	return err
}

// remove removes what has a name, which is locked.
func (f *Provided) remove(ctx context.Context, name string) error {
	if err := f.delete(ctx, name); err != nil {
		return err
	}
	f.mu.Lock()
	f.forget(name)
	f.mu.Unlock()
	f.changed(Deleted, name)
	return nil
}

// forget drops what is known of a name that stands for nothing any longer. f.mu is
// held.
func (f *Provided) forget(name string) {
	if n := f.nodes[name]; n != nil {
		delete(f.nodes, name)
		n.name, n.own = "", f.own[name]
		n.free()
	}
	f.setOwn(name, providedOwn{})
}

func (a asker) Rename(old, new string) error {
	if old == "." || new == "." {
		return errno.BUSY
	}
	return waitToDo(a, func(ctx context.Context) error { return a.files.rename(ctx, old, new) })
}

func (f *Provided) rename(ctx context.Context, old, new string) error {
	names := f.below(old)
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(names, old, new)))) {
		unlock, err := f.locks.lock(ctx, name)
		if err != nil {
			return err
		}
		defer unlock() // all of them, in the end
	}
	from, err := f.stat(ctx, old)
	if err != nil || old == new {
		return err
	}
	if strings.HasPrefix(new, old+"/") {
		dir, err := f.stat(ctx, path.Dir(new))
		switch {
		case err != nil:
			return err
		case dir.Type != Directory:
			return errno.NOTDIR
		}
		return errno.INVAL
	}
	to, err := f.stat(ctx, new)
	switch {
	case err == errno.NOENT:
	case err != nil:
		return err
	case from.Type != Directory && to.Type == Directory:
		return errno.ISDIR
	case from.Type == Directory && to.Type != Directory:
		return errno.NOTDIR
	case from.Type == Directory:
		if err := f.empty(ctx, new); err != nil {
			return err
		}
	}
	for _, name := range append(names, old) {
		f.mu.Lock()
		n := f.nodes[name]
		f.mu.Unlock()
		if n != nil {
			if err := n.write(name); err != nil {
				return err
			}
		}
	}
	if err := f.move(ctx, old, new); err != nil {
		return err
	}
	f.renamed(old, new)
	f.changed(Deleted, old)
	f.changed(Created, new)
	return nil
}

// below returns the names of files that are held below a directory.
func (f *Provided) below(dir string) (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.nodes {
		if strings.HasPrefix(name, dir+"/") {
			names = append(names, name)
		}
	}
	return names
}

// renamed has what is known of a name, and those below it, stand for another.
func (f *Provided) renamed(old, new string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(new)
	moved := func(name string) (to string, ok bool) {
		rest, ok := strings.CutPrefix(name, old)
		return new + rest, ok && (rest == "" || rest[0] == '/')
	}
	nodes := make(map[string]*providedNode)
	for name, n := range f.nodes {
		if to, ok := moved(name); ok {
			delete(f.nodes, name)
			nodes[to] = n
			n.name = to
		}
	}
	for name, n := range nodes {
		f.nodes[name] = n
	}
	own := make(map[string]providedOwn)
	for name, o := range f.own {
		if to, ok := moved(name); ok {
			delete(f.own, name)
			own[to] = o
		}
	}
	for name, o := range own {
		f.own[name] = o
	}
}

// Link and Symlink fail as on a file system without links.

func (a asker) Link(old, _ string) error {
	if _, err := a.Lstat(old); err != nil {
		return err
	}
	return errno.PERM
}

func (a asker) Symlink(_, name string) error {
	switch _, err := a.Lstat(name); err {
	case nil:
		return errno.EXIST
	case errno.NOENT:
		return errno.PERM
	default:
		return err
	}
}

func (a asker) SetTimes(name string, t Times) error {
	s, err := a.look(name)
	if err != nil {
		return err
	}
	return a.files.setTimes(name, s, t)
}

func (a asker) SetMode(name string, mode Mode) error {
	s, err := a.Lstat(name)
	switch {
	case err != nil:
		return err
	case s.Type == SymbolicLink:
		return errno.NOTSUP
	}
	if err := a.files.setMode(name, s.Type, mode&ModePerm); err != nil {
		return err
	}
	a.files.changed(Changed, path.Clean(name))
	return nil
}

// Close leaves the files to who has provided them.
func (a asker) Close() error { return nil }
