package rulebook

import (
	"errors"
	"fmt"
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

// IsProject reports whether a file of this name is read as a project's.
func IsProject(name string) bool {
	return filepath.Base(name) == filepath.Base(ProjectFile) && filepath.Base(filepath.Dir(name)) == filepath.Dir(ProjectFile)
}
