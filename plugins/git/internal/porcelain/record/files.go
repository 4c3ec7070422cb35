package record

import (
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// CommitFiles makes a commit of files and moves HEAD to it. The author is that of from, if there is
// one.
func CommitFiles(c *cli.Call, files repo.Snapshot, parents []plumbing.Hash, from *repo.Commit, message, why string) (plumbing.Hash, error) {
	author, committer, err := Signatures(c, &option.Result{}, from)
	if err != nil {
		return repo.Zero, err
	}
	tree, err := c.Repo.WriteTree(files)
	if err != nil {
		return repo.Zero, err
	}
	h, err := c.Repo.WriteCommit(tree, parents, author, committer, message)
	if err != nil {
		return h, err
	}
	first, _, _ := strings.Cut(message, "\n")
	return h, c.Repo.SetHead(h, why+": "+first)
}
