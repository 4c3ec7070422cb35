package repo

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/go-git/go-git/v6/plumbing"
)

// All returns the names of all objects that are here, in order.
func (r *Repo) All() ([]plumbing.Hash, error) {
	s := r.objects()
	if !s.complete {
		return r.allByGoGit()
	}
	var all []plumbing.Hash
	for _, p := range s.list {
		for i := range p.count {
			h, _ := plumbing.FromBytes(p.index[names+i*hashSize:][:hashSize])
			all = append(all, h)
		}
	}
	objects := filepath.Join(r.Common, "objects")
	folders, err := os.ReadDir(objects)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if len(folder.Name()) != 2 {
			continue
		}
		files, err := os.ReadDir(filepath.Join(objects, folder.Name()))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if h, ok := plumbing.FromHex(folder.Name() + f.Name()); ok {
				all = append(all, h)
			}
		}
	}
	return sorted(all), nil
}

// allByGoGit is All where some packs are for go-git to read. It asks for names only: to read the
// objects takes long, and what is no regular file is not to be opened.
func (r *Repo) allByGoGit() ([]plumbing.Hash, error) {
	all, err := r.store.HashesWithPrefix(nil)
	for i, h := range all { // those of packs are not equal to others otherwise
		all[i], _ = plumbing.FromBytes(h.Bytes())
	}
	return sorted(all), err
}

// sorted puts names in order, each once.
func sorted(all []plumbing.Hash) []plumbing.Hash {
	slices.SortFunc(all, func(a, b plumbing.Hash) int { return a.Compare(b.Bytes()) })
	return slices.Compact(all)
}
