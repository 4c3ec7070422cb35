package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v6/plumbing/filemode"

	modes "github.com/terrarium-dev/terrarium/plugins/fs"
)

// ReadDisk returns the bytes of a file of the working tree; of a link, where it leads.
func (r *Repo) ReadDisk(name string) ([]byte, error) {
	p := r.Path(name)
	info, err := os.Lstat(p)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(p)
		return []byte(target), err
	}
	return os.ReadFile(p)
}

// WriteDisk puts a file into the working tree. What stands in its way goes.
func (r *Repo) WriteDisk(name string, f File) error {
	if !ValidPath(name) {
		return fmt.Errorf("invalid path '%s'", name)
	}
	p := r.Path(name)
	if f.Mode == filemode.Submodule {
		return os.MkdirAll(p, 0o777)
	}
	b, err := r.Blob(f.Hash)
	if err != nil {
		return err
	}
	if err := r.makeDirs(path.Dir(name)); err != nil {
		return err
	}
	if info, err := os.Lstat(p); err == nil && info.IsDir() {
		os.Remove(p) // succeeds if it is empty
	} else if err == nil {
		if err := os.Remove(p); err != nil {
			return err
		}
	}
	if f.Mode == filemode.Symlink {
		return os.Symlink(string(b), p)
	}
	mode := uint32(0o666)
	if f.Mode == filemode.Executable {
		mode = 0o777
	}
	out, err := modes.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode&^modes.Umask())
	if err != nil {
		return err
	}
	_, err = out.Write(b)
	return errors.Join(err, out.Close())
}

// makeDirs makes the directory and those above it. A link in their place goes: nothing is written
// through it.
func (r *Repo) makeDirs(dir string) error {
	if dir == "." {
		return nil
	}
	if err := r.makeDirs(path.Dir(dir)); err != nil {
		return err
	}
	p := r.Path(dir)
	info, err := os.Lstat(p)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		if err := os.Remove(p); err != nil {
			return err
		}
	}
	return os.Mkdir(p, 0o777)
}

// RemoveDisk removes a file of the working tree, and the directories that it leaves empty.
func (r *Repo) RemoveDisk(name string) error {
	if !ValidPath(name) {
		return fmt.Errorf("invalid path '%s'", name)
	}
	if err := os.Remove(r.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if dir+"/" == r.Prefix || os.Remove(r.Path(dir)) != nil {
			return nil
		}
	}
	return nil
}

// Untracked returns the files that are neither in the index nor ignored. Unless all is set, a
// directory that has no other files stands for them, with a "/" at its end.
func (x *Index) Untracked(all bool) ([]string, error) { return x.others(all, false) }

// Ignored is as Untracked, of what is ignored.
func (x *Index) Ignored(all bool) ([]string, error) { return x.others(all, true) }

func (x *Index) others(all, ignored bool) ([]string, error) {
	w := &walker{index: x, all: all, ignored: ignored, dirs: map[string]bool{}}
	for _, name := range x.Names() {
		for dir := path.Dir(name); dir != "." && !w.dirs[dir]; dir = path.Dir(dir) {
			w.dirs[dir] = true
		}
	}
	rules := x.repo.outerIgnores()
	err := w.walk("", rules, false)
	return w.found, err
}

// A walker looks for files that are not in the index.
type walker struct {
	index        *Index
	all, ignored bool
	dirs         map[string]bool // directories with files of the index
	found        []string
}

// walk looks in dir, which is "" or ends in "/"; inside says that it is ignored.
func (w *walker) walk(dir string, rules ignores, inside bool) error {
	entries, err := os.ReadDir(w.index.repo.Path(dir))
	if err != nil {
		return err
	}
	rules = rules.with(w.index.repo, dir)
	for _, e := range entries {
		name := dir + e.Name()
		if e.Name() == ".git" || w.index.Tracks(name) {
			continue
		}
		isIgnored := inside || rules.match(name, e.IsDir())
		switch {
		case !e.IsDir() && isIgnored == w.ignored:
			w.found = append(w.found, name)
		case !e.IsDir():
		case w.dirs[name]:
			if err := w.walk(name+"/", rules, isIgnored); err != nil {
				return err
			}
		case isIgnored && w.ignored && !w.all:
			w.found = append(w.found, name+"/")
		case isIgnored && !w.ignored:
		case isRepository(filepath.Join(w.index.repo.Path(name), ".git")):
			if !w.ignored {
				w.found = append(w.found, name+"/")
			}
		default:
			before := len(w.found)
			if err := w.walk(name+"/", rules, isIgnored); err != nil {
				return err
			}
			if !w.all && !w.ignored && len(w.found) > before {
				w.found = append(w.found[:before], name+"/")
			}
		}
	}
	return nil
}

// IsIgnored reports whether a path is ignored, itself or by a directory above it.
func (r *Repo) IsIgnored(name string) bool {
	_, ok := r.IgnoredBy(name)
	return ok
}

// IgnoredBy is IsIgnored, and says which pattern it is, as FILE:LINE:PATTERN.
func (r *Repo) IgnoredBy(name string) (source string, ok bool) {
	rules := r.outerIgnores().with(r, "")
	parts := strings.Split(name, "/")
	for i := range parts {
		p := strings.Join(parts[:i+1], "/")
		info, err := os.Lstat(r.Path(p))
		dir := i+1 < len(parts) || err == nil && info.IsDir()
		if source, _ := rules.last(p, dir); source != "" {
			return source, true
		}
		if dir {
			rules = rules.with(r, p+"/")
		}
	}
	return "", false
}
