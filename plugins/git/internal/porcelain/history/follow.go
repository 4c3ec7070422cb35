package history

import (
	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A follower goes back in the history of one file, through its renames.
type follower struct {
	c       *cli.Call
	name    string // the file's name, as far as it was followed
	changes map[plumbing.Hash][]change.Change
}

// match reports whether a commit changed the file, and notes how.
func (f *follower) match(commit *repo.Commit) (bool, error) {
	if len(commit.ParentHashes) > 1 {
		return false, nil
	}
	parent := repo.Zero
	if len(commit.ParentHashes) > 0 {
		parent = commit.ParentHashes[0]
	}
	a, b, err := f.c.Repo.Differences(parent, commit.Hash, repo.Paths{f.name})
	if err != nil || len(a)+len(b) == 0 {
		return false, err
	}
	changes := change.Compare(a, b, nil)
	if len(changes) == 1 && changes[0].Status == 'A' && parent != repo.Zero {
		all, _, err := ChangesOf(f.c, commit, nil)
		if err != nil {
			return false, err
		}
		for _, ch := range all {
			if ch.New == f.name && ch.Status == 'R' {
				changes, f.name = []change.Change{ch}, ch.Old
			}
		}
	}
	f.changes[commit.Hash] = changes
	return true, nil
}
