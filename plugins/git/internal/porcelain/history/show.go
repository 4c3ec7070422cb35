package history

import (
	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func Show(c *cli.Call) error {
	o, err := c.Parse(logOptions + change.Options)
	if e, ok := err.(*option.Error); ok {
		return cli.Unrecognized(e, c.Args)
	}
	revisions, paths, err := c.Split(o)
	if err != nil {
		return err
	}
	if len(revisions) == 0 {
		if c.Repo.Head() == repo.Zero {
			return cli.Fatal("your current branch '%s' does not have any commits yet", c.Repo.Branch())
		}
		revisions = []string{"HEAD"}
	}
	d, err := change.NewOutput(c, o, "patch")
	if err != nil {
		return err
	}
	f, err := NewFormat(c, o, d)
	if err != nil {
		return err
	}
	for i, rev := range revisions {
		h, err := c.Repo.Resolve(rev)
		if err != nil {
			return cli.Unknown(rev)
		}
		if err := showObject(c, f, h, rev, paths, i == 0, 0); err != nil {
			return err
		}
	}
	return nil
}

// showObject shows an object that is called name, to which tags tags have led. That is bounded: a
// tag may be of itself where a repository's objects are not what their names say.
func showObject(c *cli.Call, f *Format, h plumbing.Hash, name string, paths repo.Paths, first bool, tags int) error {
	t, b, err := c.Repo.Object(h)
	if err != nil {
		return err
	}
	switch t {
	case plumbing.BlobObject:
		c.Stdout.Write(b)
		return nil
	case plumbing.TreeObject:
		tree, err := c.Repo.List(h)
		if err != nil {
			return err
		}
		c.Printf("%s\n\n", f.diff.Paint(cli.CommitColor, "tree "+name))
		for _, line := range tree {
			c.Printf("%s\n", line)
		}
		return nil
	case plumbing.TagObject:
		if tags == repo.MaxTags {
			return cli.Fatal("tag %s is too deep", h)
		}
		t, err := c.Repo.Tag(h)
		if err != nil {
			return err
		}
		c.Printf("%s\nTagger: %s <%s>\nDate:   %s\n\n%s\n", f.diff.Paint(cli.CommitColor, "tag "+t.Name), t.Tagger.Name, t.Tagger.Email, f.When(t.Tagger.When, ""), t.Message)
		return showObject(c, f, t.Target, name, paths, true, tags+1)
	}
	commit, err := c.Repo.Commit(h)
	if err != nil {
		return err
	}
	f.combine = true
	return f.write(c, commit, paths, first, true)
}
