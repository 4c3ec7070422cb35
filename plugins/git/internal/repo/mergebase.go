package repo

import (
	"slices"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/object"
)

// MergeBase returns the best common ancestor of two commits, the youngest if there are several;
// Zero if there is none.
func (r *Repo) MergeBase(a, b plumbing.Hash) (plumbing.Hash, error) {
	before := map[plumbing.Hash]bool{}
	err := r.Walk([]plumbing.Hash{a}, nil, func(c *object.Commit) bool { before[c.Hash] = true; return true })
	if err != nil {
		return Zero, err
	}
	var common, parents []plumbing.Hash // common ones, the youngest first, and what comes before them
	err = r.walk([]plumbing.Hash{b}, nil, func(c *object.Commit, _ map[plumbing.Hash]bool) ([]plumbing.Hash, bool, error) {
		if !before[c.Hash] {
			return c.ParentHashes, true, nil
		}
		common = append(common, c.Hash)
		parents = append(parents, c.ParentHashes...)
		return nil, true, nil
	})
	if err != nil || len(common) == 0 {
		return Zero, err
	}
	// Where a clock was wrong, a common commit may be an ancestor of another that seems older.
	worse := map[plumbing.Hash]bool{}
	err = r.Walk(parents, nil, func(c *object.Commit) bool { worse[c.Hash] = true; return true })
	best := slices.IndexFunc(common, func(h plumbing.Hash) bool { return !worse[h] })
	return common[max(best, 0)], err
}
