package checkout

import (
	"fmt"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// leave tells where HEAD was when it was on no branch, and warns if no branch has its commits.
func leave(c *cli.Call, from, to plumbing.Hash) error {
	names, err := c.Repo.Refs("refs/")
	if err != nil {
		return err
	}
	kept := []plumbing.Hash{to}
	for _, name := range names {
		c.End(&kept, "refs/"+name) // tags of other things than commits keep none
	}
	var lost []*repo.Commit
	err = c.Repo.Walk([]plumbing.Hash{from}, kept, func(commit *repo.Commit) bool {
		lost = append(lost, commit)
		return true
	})
	if err != nil || len(lost) == 0 {
		wasAt(c, "Previous HEAD position was", from)
		return err
	}
	it := "it"
	if len(lost) > 1 {
		it = "them"
	}
	fmt.Fprintf(c.Stderr, "Warning: you are leaving %s behind, not connected to\nany of your branches:\n\n", cli.Plural(len(lost), "commit"))
	for i, commit := range lost {
		if i == 4 {
			fmt.Fprintf(c.Stderr, " ... and %d more.\n", len(lost)-i)
			break
		}
		fmt.Fprintf(c.Stderr, "  %s %s\n", cli.Abbreviate(commit.Hash), messages.Subject(commit.Message))
	}
	fmt.Fprintf(c.Stderr, "\nIf you want to keep %s by creating a new branch, this may be a good time\nto do so with:\n\n"+
		" git branch <new-branch-name> %s\n\n", it, cli.Abbreviate(from))
	return nil
}
