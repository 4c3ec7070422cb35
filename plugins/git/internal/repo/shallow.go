package repo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v6/plumbing"
)

// Shallow returns the commits at which history ends because a clone had a depth. They name parents
// that are not here.
func (r *Repo) Shallow() (map[plumbing.Hash]bool, error) {
	if r.shallow != nil {
		return r.shallow, nil
	}
	list, err := r.store.Shallow()
	if err != nil {
		return nil, err
	}
	r.shallow = map[plumbing.Hash]bool{}
	for _, h := range list {
		r.shallow[h] = true
	}
	return r.shallow, nil
}

// copyShallow makes history end in dir where it ends in from.
func copyShallow(dir, from string) error {
	b, err := os.ReadFile(filepath.Join(from, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "shallow"), b, 0o666)
}
