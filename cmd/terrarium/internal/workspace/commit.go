package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

// A ConflictError says which files are not as a change expects them. Nothing was changed.
type ConflictError struct{ Paths []string }

// maxNamed is how many paths an error names.
const maxNamed = 5

func (e *ConflictError) Error() string {
	var names []string
	for _, p := range e.Paths[:min(len(e.Paths), maxNamed)] {
		names = append(names, printable.Text(p))
	}
	text := strings.Join(names, ", ")
	if more := len(e.Paths) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return "changed on both sides: " + text
}

// Commit makes all changes, or none: then the error says why, and whether something could not be
// put back. It is called once. Who is killed meanwhile leaves what was in the place of new files in
// a directory that begins with ".terrarium-workspace-".
func (in *Incoming) Commit() (err error) {
	infos, err := in.check()
	if err != nil {
		return err
	}
	if err := in.root.Mkdir(path.Join(in.stage, stageOld), 0o700); err != nil {
		return err
	}
	t := &transaction{in: in}
	if err = t.make(infos); err != nil {
		if back := t.undo(); back != nil {
			in.stuck = true
			return fmt.Errorf("%w; and not all could be put back, what was there is in %s: %w", err, in.stage, back)
		}
		return errors.Join(err, in.root.RemoveAll(path.Join(in.stage, stageOld)))
	}
	in.prune()
	return in.Close()
}

// check returns what is at the paths of the changes, where all is as they expect it.
func (in *Incoming) check() (infos []fs.FileInfo, err error) {
	conflict := new(ConflictError)
	goes := make(map[string]bool)
	for _, c := range in.changes {
		if c.Now.Kind == None {
			goes[c.Path] = true
		}
	}
	links := NewLinks(in.root)
	for _, c := range in.changes {
		var e Entry
		var info fs.FileInfo
		if links.Before(c.Path) == "" { // else nothing is there, once the link has gone
			if e, info, err = lookAt(in.root, c.Path); err != nil {
				return nil, err
			}
		}
		switch {
		case e == c.Was:
		case e == c.Now && e.Kind == Dir: // files are in it anyway
		case givesWay(c, info):
			if err := in.checkEmpty(c.Path, c.Path, goes); err != nil {
				return nil, err
			}
		default:
			conflict.Paths = append(conflict.Paths, c.Path)
		}
		infos = append(infos, info)
	}
	if len(conflict.Paths) > 0 {
		return nil, conflict
	}
	return infos, nil
}

// givesWay reports whether a directory is where a change puts something else, and nobody has said
// that it is there: git knows files only.
func givesWay(c Change, info fs.FileInfo) bool {
	return info != nil && info.IsDir() && c.Was.Kind == None && c.Now.Kind != None && c.Now.Kind != Dir
}

// checkEmpty says which file is in a directory that has to give way at a path, but for those that
// go.
func (in *Incoming) checkEmpty(dir, at string, goes map[string]bool) error {
	return walk(in.root, dir, func(p string, d fs.DirEntry) error {
		if d.IsDir() || goes[p] {
			return nil
		}
		return &PathError{at, "a directory is there, with " + printable.Text(path.Base(p)) + ", which stays: move it elsewhere, or remove it"}
	})
}

// A transaction is what was done by now, to be undone.
type transaction struct {
	in    *Incoming
	undos []func() error
}

func (t *transaction) later(undo func() error) { t.undos = append(t.undos, undo) }

// undo puts back what was there.
func (t *transaction) undo() (err error) {
	for _, f := range slices.Backward(t.undos) {
		err = errors.Join(err, f())
	}
	return err
}

// make removes what is to go, what is deepest first, and then puts new files into their places.
// infos are those of what is there.
func (t *transaction) make(infos []fs.FileInfo) error {
	order := make([]int, len(t.in.changes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.in.changes[a].Path, t.in.changes[b].Path) })
	for _, i := range slices.Backward(order) {
		c := t.in.changes[i]
		if infos[i] != nil && (c.Now.Kind != Dir || !infos[i].IsDir()) {
			if err := t.remove(i, c, infos[i]); err != nil {
				return err
			}
		}
	}
	for _, i := range order {
		if c := t.in.changes[i]; c.Now.Kind != None {
			if err := t.put(i, c, infos[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove takes away what is at the path of a change.
func (t *transaction) remove(i int, c Change, info fs.FileInfo) error {
	root := t.in.root
	if c.Was.Kind != Dir {
		old := t.in.old(i)
		if err := root.Rename(c.Path, old); err != nil {
			return err
		}
		t.later(func() error {
			if moved, err := t.in.move(old, c.Path); !moved {
				return err
			}
			return nil
		})
		if givesWay(c, info) {
			return t.in.checkEmpty(old, c.Path, nil) // again: nothing comes in any more
		}
		now, err := root.Lstat(old)
		if err != nil {
			return err
		}
		if !isSame(now, info) {
			return &ConflictError{[]string{c.Path}} // since check
		}
		return nil
	}
	err := root.Remove(c.Path)
	switch {
	case err == nil:
		t.later(func() error { return root.Mkdir(c.Path, info.Mode().Perm()) })
	case c.Now.Kind == None && (errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)):
		return nil // it has files that are none of the workspace's
	}
	return err
}

// put puts what is new at the path of a change. old is what was there, or nil.
func (t *transaction) put(i int, c Change, old fs.FileInfo) error {
	root := t.in.root
	if err := t.parents(path.Dir(c.Path)); err != nil {
		return err
	}
	if c.Now.Kind == Dir {
		return t.mkdir(c.Path)
	}
	staged := t.in.staged(i)
	if old != nil && old.Mode().IsRegular() && c.Now.IsFile() {
		if err := root.Chmod(staged, permOf(old.Mode().Perm(), c.Now.Kind)); err != nil {
			return err
		}
	}
	info, err := root.Lstat(staged)
	if err != nil {
		return err
	}
	moved, err := t.in.move(staged, c.Path)
	if moved {
		t.later(func() error { return t.in.takeAway(c.Path, info) })
	}
	if errors.Is(err, fs.ErrExist) {
		return &ConflictError{[]string{c.Path}} // since remove
	}
	return err
}

// move moves a file to where nothing is. Whoever makes a file there meanwhile keeps it: Rename
// would take its place, and Link does not. Where the file system has no hard links, a file is lost
// that is made between the look and the Rename. A directory takes no file's place. moved reports
// whether the file is there, which it is also if it could not be removed where it was.
func (in *Incoming) move(from, to string) (moved bool, err error) {
	err = in.root.Link(from, to)
	if err == nil {
		return true, in.root.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return false, err
	}
	if _, err := in.root.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return false, cmp.Or(err, error(&fs.PathError{Op: "move", Path: to, Err: fs.ErrExist}))
	}
	err = in.root.Rename(from, to)
	return err == nil, err
}

// takeAway removes what was put at a path, unless somebody has something else there by now.
func (in *Incoming) takeAway(p string, put fs.FileInfo) error {
	now, err := in.root.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !isSame(now, put):
		return nil // what was there before can't be put back then, which is told
	}
	return in.root.Remove(p)
}

// isSame reports whether a file is the one that it was, and was not written since.
func isSame(now, was fs.FileInfo) bool {
	return os.SameFile(now, was) && now.Size() == was.Size() && now.ModTime().Equal(was.ModTime())
}

// permOf returns the permissions of a file in the place of one that has perm: who may read it may
// execute it, if somebody may.
func permOf(perm fs.FileMode, k Kind) fs.FileMode {
	if k == Executable {
		return perm | perm&0o444>>2 | 0o100
	}
	return perm &^ 0o111
}

// parents makes directories, where there are none. It goes through no symbolic link, not even one
// that stays inside: behind it a name may be one that is not carried.
func (t *transaction) parents(dir string) error {
	if dir == "." {
		return nil
	}
	if err := t.parents(path.Dir(dir)); err != nil {
		return err
	}
	return t.mkdir(dir)
}

// mkdir makes a directory, unless it is there.
func (t *transaction) mkdir(dir string) error {
	root := t.in.root
	info, err := root.Lstat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &PathError{dir, "it is no directory, and files are to be in it"}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := root.Mkdir(dir, 0o777); err != nil {
		return err
	}
	t.later(func() error { return root.Remove(dir) })
	return nil
}

// prune removes directories in which nothing is left, as git does.
func (in *Incoming) prune() {
	for _, c := range in.changes {
		if c.Now.Kind != None || c.Was.Kind == Dir {
			continue
		}
		for dir := path.Dir(c.Path); dir != "."; dir = path.Dir(dir) {
			// What was a directory may be a file by now.
			if info, err := in.root.Lstat(dir); err != nil || !info.IsDir() || in.root.Remove(dir) != nil {
				break
			}
		}
	}
}
