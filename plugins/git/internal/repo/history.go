package repo

import (
	"slices"

	"github.com/go-git/go-git/v6/plumbing"
)

// WalkPaths is Walk over the commits that changed the paths, as git-log(1) simplifies history by
// default: a merge that leaves the paths as one of its parents has them is passed over, and only
// that parent is followed.
func (r *Repo) WalkPaths(from, not []plumbing.Hash, paths Paths, visit func(*Commit) bool) error {
	trees := &trees{repo: r, paths: paths}
	return r.walk(from, not, func(c *Commit, hidden map[plumbing.Hash]bool) ([]plumbing.Hash, bool, error) {
		// A parent that the walk leaves out counts if it was named, or if there are no others.
		counts := func(h plumbing.Hash) bool { return !hidden[h] || slices.Contains(not, h) }
		changed, parents, err := trees.changed(c, counts)
		if err != nil {
			return nil, false, err
		}
		return parents, !changed || visit(c), nil
	})
}

// changed reports whether the commit changed the paths, and returns the parents to follow.
func (t *trees) changed(c *Commit, counts func(plumbing.Hash) bool) (changed bool, parents []plumbing.Hash, err error) {
	if len(c.ParentHashes) == 0 {
		changed, err = t.differ(c.TreeHash, Zero, "", 0)
		return changed, nil, err
	}
	counted, fromOthers := false, false
	for _, h := range c.ParentHashes {
		p, err := t.repo.Commit(h)
		if err != nil {
			return false, nil, err
		}
		differs, err := t.differ(c.TreeHash, p.TreeHash, "", 0)
		switch {
		case err != nil:
			return false, nil, err
		case counts(h) && !differs:
			return false, []plumbing.Hash{h}, nil
		case counts(h):
			counted = true
		default:
			fromOthers = fromOthers || differs
		}
	}
	return counted || fromOthers, c.ParentHashes, nil
}
