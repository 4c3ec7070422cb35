// Package repo has a repository's parts: objects, references, the index, the working tree and the
// configuration. Nothing in it prints.
package repo

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v6"
	"github.com/go-git/go-billy/v6/osfs"
	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/cache"
	format "github.com/go-git/go-git/v6/plumbing/format/config"
	"github.com/go-git/go-git/v6/storage/filesystem"
	"github.com/go-git/go-git/v6/storage/filesystem/dotgit"
)

// A Repo is an open repository with its working tree. It is not safe for concurrent use.
type Repo struct {
	Top string // the working tree, "" if the repository is bare
	Dir string // the .git directory
	// the one with the objects and branches: Dir, but for a working tree beside the first
	Common string
	Prefix string // the current directory below Top, with a "/" at its end; "" at the top
	Config *Config

	store   *filesystem.Storage
	packs   *packs                 // nil until an object is read
	shallow map[plumbing.Hash]bool // nil until it is asked for
}

// ErrNone says that the directory is in no repository.
var ErrNone = errors.New("not a git repository (or any of the parent directories): .git")

// Find opens the repository that the current directory is in.
func Find() (*Repo, error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if dir := os.Getenv("GIT_DIR"); dir != "" {
		return named(wd, dir)
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		if to := linked(git); to != "" {
			git = to
		}
		if isRepository(git) {
			prefix := strings.TrimPrefix(strings.TrimPrefix(wd, dir), "/")
			if prefix != "" {
				prefix += "/"
			}
			return Open(dir, git, prefix)
		}
		if isRepository(dir) {
			return Open("", dir, "")
		}
		if dir == filepath.Dir(dir) {
			return nil, ErrNone
		}
	}
}

// named opens the repository that GIT_DIR names; its working tree is GIT_WORK_TREE, or the current
// directory.
func named(wd, dir string) (*Repo, error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(wd, dir)
	}
	if to := linked(dir); to != "" {
		dir = to
	}
	if !isRepository(dir) {
		return nil, fmt.Errorf("not a git repository: '%s'", os.Getenv("GIT_DIR"))
	}
	top := wd
	if tree := os.Getenv("GIT_WORK_TREE"); tree != "" {
		if top = tree; !filepath.IsAbs(tree) {
			top = filepath.Join(wd, tree)
		}
	}
	prefix := ""
	if rest, ok := strings.CutPrefix(wd, filepath.Clean(top)+"/"); ok {
		prefix = rest + "/"
	}
	return Open(filepath.Clean(top), dir, prefix)
}

func isRepository(dir string) bool {
	common := commonOf(dir)
	for _, name := range []string{filepath.Join(dir, "HEAD"), filepath.Join(common, "objects"), filepath.Join(common, "refs")} {
		if _, err := os.Stat(name); err != nil {
			return false
		}
	}
	return true
}

// Open opens the repository in dir, with the working tree top.
func Open(top, dir, prefix string) (*Repo, error) {
	common := commonOf(dir)
	config, err := ReadConfig(filepath.Join(common, "config"))
	if err != nil {
		return nil, err
	}
	// Without open packs, one is opened for each object that is read.
	options := filesystem.Options{MaxOpenDescriptors: 16}
	var files billy.Filesystem = moded{osfs.New(dir)}
	if common != dir {
		files = dotgit.NewRepositoryFilesystem(files, moded{osfs.New(common)})
	}
	store := filesystem.NewStorageWithOptions(files, cache.NewObjectLRUDefault(), options)
	return &Repo{Top: top, Dir: dir, Common: common, Prefix: prefix, Config: config, store: store}, nil
}

// FileAt returns what a commit or a tree has at a path.
func (r *Repo) FileAt(tree plumbing.Hash, name string) (File, bool) {
	h, err := r.PeelTo(tree, "tree")
	if err != nil {
		return File{}, false
	}
	for {
		part, rest, more := strings.Cut(name, "/")
		e, ok := r.find(h, part)
		if !ok || !more {
			return File{e.mode, e.hash}, ok
		}
		h, name = e.hash, rest
	}
}

// find returns the entry of a name in a directory.
func (r *Repo) find(dir plumbing.Hash, name string) (entry, bool) {
	b, err := r.read(plumbing.TreeObject, dir)
	for len(b) > 0 && err == nil {
		var e entry
		if e, b, err = nextEntry(b, dir.Size()); err == nil && string(e.name) == name {
			return e, true
		}
	}
	return entry{}, false
}

// Path returns where the file is on disk.
func (r *Repo) Path(name string) string { return filepath.Join(r.Top, filepath.FromSlash(name)) }

// maxObject bounds in bytes an object that is read: git's core.bigFileThreshold, at which it gives
// up on comparing.
const maxObject = 512 << 20

func contents(o plumbing.EncodedObject) ([]byte, error) {
	if o.Size() > maxObject {
		return nil, fmt.Errorf("object %s has %d bytes, which is too much", o.Hash(), o.Size())
	}
	in, err := o.Reader()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// Write stores an object.
func (r *Repo) Write(t plumbing.ObjectType, b []byte) (plumbing.Hash, error) {
	h, err := Hash(t, b)
	if err != nil || r.Has(h) {
		return h, err
	}
	o := r.store.NewEncodedObject()
	o.SetType(t)
	o.SetSize(int64(len(b)))
	w, err := o.Writer()
	if err != nil {
		return h, err
	}
	if _, err := w.Write(b); err != nil {
		return h, err
	}
	if err := w.Close(); err != nil {
		return h, err
	}
	return r.store.SetEncodedObject(o)
}

// Hash returns the name that an object has.
func Hash(t plumbing.ObjectType, b []byte) (plumbing.Hash, error) {
	o := plumbing.NewMemoryObject(plumbing.FromObjectFormat(format.SHA1))
	o.SetType(t)
	o.SetSize(int64(len(b)))
	_, err := o.Write(b)
	return o.Hash(), err
}
