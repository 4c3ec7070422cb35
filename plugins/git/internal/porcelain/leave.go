package porcelain

import (
	"fmt"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/object"
)

// leave tells where HEAD was when it was on no branch, and warns if no branch has its commits.
func (c *call) leave(from, to plumbing.Hash) error {
	names, err := c.repo.Refs("refs/")
	if err != nil {
		return err
	}
	kept := []plumbing.Hash{to}
	for _, name := range names {
		c.end(&kept, "refs/"+name) // tags of other things than commits keep none
	}
	var lost []*object.Commit
	err = c.repo.Walk([]plumbing.Hash{from}, kept, func(commit *object.Commit) bool {
		lost = append(lost, commit)
		return true
	})
	if err != nil || len(lost) == 0 {
		c.wasAt("Previous HEAD position was", from)
		return err
	}
	it := "it"
	if len(lost) > 1 {
		it = "them"
	}
	fmt.Fprintf(c.stderr, "Warning: you are leaving %s behind, not connected to\nany of your branches:\n\n", plural(len(lost), "commit"))
	for i, commit := range lost {
		if i == 4 {
			fmt.Fprintf(c.stderr, " ... and %d more.\n", len(lost)-i)
			break
		}
		fmt.Fprintf(c.stderr, "  %s %s\n", abbreviate(commit.Hash), subject(commit.Message))
	}
	fmt.Fprintf(c.stderr, "\nIf you want to keep %s by creating a new branch, this may be a good time\nto do so with:\n\n"+
		" git branch <new-branch-name> %s\n\n", it, abbreviate(from))
	return nil
}
