package repo

import (
	"slices"

	"github.com/go-git/go-git/v6/plumbing"
)

// MergeBase returns the best common ancestor of two commits, the youngest if there are several;
// Zero if there is none.
func (r *Repo) MergeBase(a, b plumbing.Hash) (plumbing.Hash, error) {
	bases, err := r.MergeBases(a, b)
	if len(bases) == 0 {
		return Zero, err
	}
	return bases[0], err
}

// MergeBases returns the common ancestors of two commits that are no ancestors of others, the
// youngest first.
func (r *Repo) MergeBases(a, b plumbing.Hash) ([]plumbing.Hash, error) {
	before := map[plumbing.Hash]bool{}
	err := r.Walk([]plumbing.Hash{a}, nil, func(c *Commit) bool { before[c.Hash] = true; return true })
	if err != nil {
		return nil, err
	}
	// common ones, the youngest first, and what comes before them
	var common, parents []plumbing.Hash
	err = r.walk([]plumbing.Hash{b}, nil, func(c *Commit, _ map[plumbing.Hash]bool) ([]plumbing.Hash, bool, error) {
		if !before[c.Hash] {
			return c.ParentHashes, true, nil
		}
		common = append(common, c.Hash)
		parents = append(parents, c.ParentHashes...)
		return nil, true, nil
	})
	if err != nil || len(common) < 2 {
		return common, err
	}
	return r.independent(common, parents)
}

// independent returns the commits that do not come before one of the parents.
func (r *Repo) independent(commits, parents []plumbing.Hash) ([]plumbing.Hash, error) {
	worse := map[plumbing.Hash]bool{}
	err := r.Walk(parents, nil, func(c *Commit) bool { worse[c.Hash] = true; return true })
	return slices.DeleteFunc(commits, func(h plumbing.Hash) bool { return worse[h] }), err
}

// Independent returns the commits that do not come before another of them, in the order given.
func (r *Repo) Independent(commits []plumbing.Hash) ([]plumbing.Hash, error) {
	var parents []plumbing.Hash
	for _, h := range commits {
		c, err := r.Commit(h)
		if err != nil {
			return nil, err
		}
		parents = append(parents, c.ParentHashes...)
	}
	var unique []plumbing.Hash
	for _, h := range commits {
		if !slices.Contains(unique, h) {
			unique = append(unique, h)
		}
	}
	return r.independent(unique, parents)
}
