package objects

import (
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// ReadTree makes the index as a tree is, and leaves the working tree alone.
func ReadTree(c *cli.Call) error {
	o, err := c.Parse("m u empty reset v prefix= i n")
	if err != nil {
		return err
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	files := repo.Snapshot{}
	switch args := o.Rest(); {
	case o.Has("empty"):
	case len(args) == 1 && !o.Has("prefix"):
		if files, err = c.Tree(args[0]); err != nil {
			return cli.Fatal("Not a valid object name %s", args[0])
		}
	default:
		return cli.Fatal("read-tree: only one tree, without --prefix, is supported in this sandbox")
	}
	if o.Has("u") || o.Has("reset") && o.Has("u") {
		return checkout.Force(c, files)
	}
	clear(x.Conflicts)
	for _, ch := range change.Compare(x.Files, files, nil) {
		if ch.Status == 'D' {
			x.Remove(ch.New)
			continue
		}
		x.Put(ch.New, ch.To)
	}
	return x.Save()
}
