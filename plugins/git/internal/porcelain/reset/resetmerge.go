package reset

import (
	"fmt"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
)

// Merge makes the index as h is, and the files that differ from it there or are in conflict. It
// keeps changes that are in the working tree alone: git reset --merge.
func Merge(c *cli.Call, h plumbing.Hash) error {
	new, err := c.Repo.Tree(h)
	if err != nil {
		return err
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	disk, err := x.OnDisk()
	if err != nil {
		return err
	}
	changes := change.Compare(x.Files, new, nil)
	for _, ch := range changes {
		if _, open := x.Conflicts[ch.New]; !open && ch.Status != 'A' && disk[ch.New] != x.Files[ch.New] {
			return &cli.Failure{Status: 128, Text: fmt.Sprintf("error: Entry '%s' not uptodate. Cannot merge.\nfatal: Could not reset index file to revision '%s'.", ch.New, h)}
		}
	}
	for name := range x.Conflicts {
		if _, ok := new[name]; !ok {
			changes = append(changes, change.Change{Status: 'D', Old: name, New: name})
		}
	}
	if err := checkout.Apply(c, x, changes); err != nil {
		return err
	}
	return x.Save()
}
