package checkout

import (
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
)

func Restore(c *cli.Call) error {
	o, err := c.Parse("S,staged W,worktree s,source= q,quiet p,patch 2,ours 3,theirs m,merge conflict= ignore-unmerged overlay no-overlay")
	if err != nil {
		return err
	}
	if o.Has("p") {
		return cli.Fatal("restore --patch: there is no dialogue in this sandbox")
	}
	if how, _ := o.Last("2", "3", "m"); how != "" && len(o.Rest()) > 0 {
		return takeSide(c, o, o.Rest(), how)
	}
	if len(o.Rest()) == 0 {
		return cli.Fatal("you must specify path(s) to restore")
	}
	source := o.Arg("s")
	if source == "" && o.Has("S") {
		source = "HEAD"
	}
	if source != "" && !c.IsRevision(source) {
		return cli.Fatal("could not resolve %s", source)
	}
	return restoreFrom(c, source, o.Rest(), o.Has("S"), o.Has("W") || !o.Has("S"), o.Has("overlay"))
}

// restoreFrom makes the index, the working tree or both as source has the paths; "" is the index.
// Files that source lacks go, unless overlay is set.
func restoreFrom(c *cli.Call, source string, args []string, index, disk, overlay bool) error {
	if source == "" || overlay {
		_, err := take(c, source, args, index, disk)
		return err
	}
	paths, outside := c.Repo.Paths(args)
	if outside != "" {
		return c.Outside(outside)
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	from, err := c.Tree(source)
	if err != nil {
		return err
	}
	for i := range paths {
		if !cli.Matches(paths, i, from.Names()) && !cli.Matches(paths, i, x.Names()) {
			return cli.Wrong("pathspec '%s' did not match any file(s) known to git", args[i])
		}
	}
	if disk {
		now, err := x.OnDisk()
		if err != nil {
			return err
		}
		for _, ch := range change.Compare(now, from, paths) {
			if ch.Status == 'D' {
				err = c.Repo.RemoveDisk(ch.New)
			} else {
				err = c.Repo.WriteDisk(ch.New, ch.To)
			}
			if err != nil {
				return err
			}
		}
	}
	if index {
		for _, name := range x.Names() {
			if _, ok := from[name]; !ok && paths.Match(name) {
				x.Remove(name)
			}
		}
		for name, f := range from {
			switch {
			case !paths.Match(name):
			case disk:
				x.Set(name, f)
			case x.Files[name] != f:
				x.Put(name, f)
			}
		}
	}
	return x.Save()
}
