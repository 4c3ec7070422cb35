package rulebook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/core/policy"
)

// Read reads one policy file. It is nil, without an error, if it is not there.
func Read(name string, layer policy.Layer) (*policy.File, error) {
	s := &source{name: name, layer: layer}
	return s.file()
}

// Create writes a file that is not there yet, for this user alone, and the directories that it
// needs. Whoever looks meanwhile finds none of it or all of it.
func Create(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return named(dir, err)
	}
	f, err := os.CreateTemp(dir, ".policy-*.toml")
	if err != nil {
		return named(dir, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return named(name, err)
	}
	if err := os.Link(f.Name(), name); err != nil { // unlike a rename, it replaces nothing
		if linked, ok := errors.AsType[*os.LinkError](err); ok {
			err = linked.Err
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Exposed says who besides its owner may write the file, or put another in its place: a command of
// a session that has these roots, or another user. It is nil if nobody may.
func Exposed(name string, roots []string) error {
	file := real(name)
	info, err := os.Stat(file)
	if err != nil {
		return named(name, err)
	}
	for _, root := range roots {
		l := lookup{roots: []string{real(root)}}
		if l.roots[0] == "/" {
			continue
		}
		if l.below(file) || l.below(real(filepath.Dir(name))) {
			return fmt.Errorf("%s: commands may change it: it lies in %s, which a session hands over", name, root)
		}
	}
	if others(info) {
		return fmt.Errorf("%s: other users may write it (%v)", name, info.Mode().Perm())
	}
	dir := filepath.Dir(file)
	if info, err := os.Stat(dir); err == nil && others(info) && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("%s: other users may write its directory (%v)", name, info.Mode().Perm())
	}
	return nil
}

// Exposed says which of the files that hold for all sessions other users may write, or put another
// in the place of.
func (b *Book) Exposed() (errs []error) {
	for _, s := range b.own() {
		if f, err := s.file(); f == nil || err != nil {
			continue
		}
		if err := Exposed(s.name, nil); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// others reports whether all may write, or a group that is not the owner's own.
func others(info fs.FileInfo) bool {
	return everybodys(info) || info.Mode()&0o020 != 0 && !ownGroup(info)
}

// IsProject reports whether a file of this name is read as a project's.
func IsProject(name string) bool {
	return filepath.Base(name) == filepath.Base(ProjectFile) && filepath.Base(filepath.Dir(name)) == filepath.Dir(ProjectFile)
}
