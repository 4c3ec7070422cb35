package repo

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"
	"github.com/go-git/go-git/v6/plumbing/format/index"

	modes "github.com/terrarium-dev/terrarium/plugins/fs"
)

// An Index is what the next commit will have.
type Index struct {
	Files     Snapshot
	Conflicts map[string]Conflict // by path; none of them is in Files

	repo    *Repo
	entries map[string]*index.Entry // with the state of the file on disk when it was added
	raw     *index.Index
	noModes bool // whether core.filemode says that the disk's modes mean nothing
}

// A Conflict is a file that a merge could not decide on: as the base, we and they have it. A side
// without the file has the zero File.
type Conflict [3]File

// Index reads the index.
func (r *Repo) Index() (*Index, error) {
	raw, err := r.store.Index()
	if err != nil {
		return nil, err
	}
	x := &Index{Files: Snapshot{}, Conflicts: map[string]Conflict{}, repo: r, entries: map[string]*index.Entry{}, raw: raw}
	v, _ := r.Config.Get("core.filemode")
	x.noModes = v == "false"
	for _, e := range raw.Entries {
		if !ValidPath(e.Name) {
			return nil, fmt.Errorf("invalid path '%s' in the index", e.Name)
		}
		if e.Stage > 0 {
			sides := x.Conflicts[e.Name]
			sides[e.Stage-1] = File{normal(e.Mode), e.Hash}
			x.Conflicts[e.Name] = sides
			continue
		}
		x.Files[e.Name] = File{normal(e.Mode), e.Hash}
		x.entries[e.Name] = e
	}
	return x, nil
}

// Save writes the index.
func (x *Index) Save() error {
	raw := &index.Index{Version: 2}
	for name, f := range x.Files {
		e := x.entries[name]
		if e == nil || e.Hash != f.Hash || e.Mode != f.Mode {
			e = &index.Entry{Name: name, Hash: f.Hash, Mode: f.Mode}
		}
		e.Stage = 0
		raw.Entries = append(raw.Entries, e)
	}
	for name, sides := range x.Conflicts {
		for i, f := range sides {
			if f != (File{}) {
				raw.Entries = append(raw.Entries, &index.Entry{Name: name, Hash: f.Hash, Mode: f.Mode, Stage: index.Stage(i + 1)})
			}
		}
	}
	slices.SortFunc(raw.Entries, func(a, b *index.Entry) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Stage, b.Stage))
	})
	return x.repo.store.SetIndex(raw)
}

// Put puts a file into the index, whatever is on disk.
func (x *Index) Put(name string, f File) {
	for old := range x.Files { // a file takes the place of a directory, or the other way about
		if strings.HasPrefix(old, name+"/") || strings.HasPrefix(name, old+"/") {
			delete(x.Files, old)
		}
	}
	x.Files[name] = f
	delete(x.entries, name)
	delete(x.Conflicts, name)
}

// Remove takes a file out of the index.
func (x *Index) Remove(name string) {
	delete(x.Files, name)
	delete(x.Conflicts, name)
}

// Tracks reports whether the index has the file, be it one in conflict.
func (x *Index) Tracks(name string) bool {
	_, ok := x.Files[name]
	_, open := x.Conflicts[name]
	return ok || open
}

// Unmerged returns the files in conflict, sorted.
func (x *Index) Unmerged() []string { return slices.Sorted(maps.Keys(x.Conflicts)) }

// Names returns all files of the index, those in conflict too, sorted.
func (x *Index) Names() []string {
	names := append(x.Files.Names(), x.Unmerged()...)
	slices.Sort(names)
	return names
}

// Set puts a file into the index that is so on disk, and remembers its state there.
func (x *Index) Set(name string, f File) {
	x.Put(name, f)
	e := &index.Entry{Name: name, Hash: f.Hash, Mode: f.Mode}
	if info, err := os.Lstat(x.repo.Path(name)); err == nil {
		e.ModifiedAt, e.Size = info.ModTime(), uint32(info.Size())
	}
	x.entries[name] = e
}

// unchanged reports whether the file on disk is surely what the index has.
func (x *Index) unchanged(name string, info fs.FileInfo) bool {
	e := x.entries[name]
	return e != nil && e.Hash == x.Files[name].Hash && uint32(info.Size()) == e.Size && !e.ModifiedAt.IsZero() &&
		info.ModTime().Equal(e.ModifiedAt) && e.ModifiedAt.Before(x.raw.ModTime)
}

// OnDisk returns the files of the index as they are on disk, without those that are gone.
func (x *Index) OnDisk() (Snapshot, error) {
	s := Snapshot{}
	for name, f := range x.Files {
		info, err := os.Lstat(x.repo.Path(name))
		if err != nil || info.IsDir() {
			if f.Mode == filemode.Submodule {
				s[name] = f
			}
			continue
		}
		mode := x.mode(name, info)
		if mode == f.Mode && x.unchanged(name, info) {
			s[name] = f
			continue
		}
		b, err := x.repo.ReadDisk(name)
		if err != nil {
			return nil, err
		}
		h, err := Hash(plumbing.BlobObject, b)
		if err != nil {
			return nil, err
		}
		s[name] = File{mode, h}
	}
	return s, nil
}

// Disk returns a file as it is on disk, whatever the index has of it. It reports whether there is
// one.
func (x *Index) Disk(name string) (File, bool) {
	info, err := os.Lstat(x.repo.Path(name))
	if err != nil || info.IsDir() {
		return File{}, false
	}
	b, err := x.repo.ReadDisk(name)
	if err != nil {
		return File{}, false
	}
	h, err := Hash(plumbing.BlobObject, b)
	return File{x.mode(name, info), h}, err == nil
}

// mode returns the file's mode on disk, or the index's where a file system keeps none or
// core.filemode says so.
func (x *Index) mode(name string, info fs.FileInfo) filemode.FileMode {
	if info.Mode()&fs.ModeSymlink != 0 {
		return filemode.Symlink
	}
	mode, known := modes.Mode(info)
	if !known || x.noModes {
		if f, ok := x.Files[name]; ok && f.Mode != filemode.Symlink {
			return f.Mode
		}
		return filemode.Regular
	}
	if mode&0o100 != 0 {
		return filemode.Executable
	}
	return filemode.Regular
}

// Add puts the file on disk into the index and its bytes into the repository.
func (x *Index) Add(name string) error {
	info, err := os.Lstat(x.repo.Path(name))
	if err != nil {
		return err
	}
	b, err := x.repo.ReadDisk(name)
	if err != nil {
		return err
	}
	h, err := x.repo.Write(plumbing.BlobObject, b)
	if err != nil {
		return err
	}
	x.Set(name, File{x.mode(name, info), h})
	return nil
}
