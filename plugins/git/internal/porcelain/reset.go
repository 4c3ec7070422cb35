package porcelain

import (
	"errors"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func reset(c *call) error {
	o, err := c.parse("soft mixed hard merge keep q,quiet p,patch")
	if err != nil {
		return err
	}
	if o.Has("merge") || o.Has("keep") || o.Has("p") {
		return fatal("reset: only --soft, --mixed and --hard are supported in this sandbox")
	}
	revisions, paths, err := c.split(o)
	if err != nil {
		return err
	}
	rev := "HEAD"
	if len(revisions) > 0 {
		rev = revisions[0]
	}
	if len(paths) > 0 {
		for _, mode := range []string{"soft", "hard"} {
			if o.Has(mode) {
				return fatal("Cannot do %s reset with paths.", mode)
			}
		}
		return c.resetIndex(rev, paths, o.Has("q"))
	}
	h := c.repo.Head()
	if rev != "HEAD" || h != repo.Zero {
		commit, err := c.repo.ResolveCommit(rev)
		if err != nil {
			return fatal("Could not parse object '%s'.", rev)
		}
		h = commit.Hash
	}
	if o.Has("hard") {
		if err := c.move(h, "reset", true); err != nil {
			return err
		}
	}
	if h != repo.Zero {
		if err := c.repo.SetHead(h, "reset: moving to "+rev); err != nil {
			return err
		}
	}
	switch {
	case o.Has("soft"):
		return nil
	case !o.Has("hard"):
		return c.resetIndex("HEAD", nil, o.Has("q"))
	case !o.Has("q"):
		commit, err := c.repo.Commit(h)
		if err != nil {
			return err
		}
		c.printf("HEAD is now at %s %s\n", abbreviate(h), subject(commit.Message))
	}
	return nil
}

// resetIndex makes the index as rev is, and lists what now differs on disk.
func (c *call) resetIndex(rev string, paths repo.Paths, silent bool) error {
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	files := repo.Snapshot{}
	if rev != "HEAD" || c.repo.Head() != repo.Zero {
		if files, err = c.tree(rev); err != nil {
			return err
		}
	}
	for _, ch := range compare(x.Files, files, paths) {
		if ch.status == 'D' {
			delete(x.Files, ch.new)
			continue
		}
		x.Files[ch.new] = ch.to
	}
	disk, err := x.OnDisk()
	if err = errors.Join(err, x.Save()); err != nil || silent {
		return err
	}
	for i, ch := range compare(x.Files, disk, nil) {
		if i == 0 {
			c.printf("Unstaged changes after reset:\n")
		}
		c.printf("%c\t%s\n", ch.status, quote(ch.new))
	}
	return nil
}
