package porcelain

import (
	"errors"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func tag(c *call) error {
	o, err := c.parse("a,annotate m,message= d,delete l,list f,force n?")
	if err != nil {
		return err
	}
	args := o.Rest()
	switch {
	case o.Has("d"):
		return c.deleteTags(args)
	case o.Has("l") || len(args) == 0:
		c.page()
		names, err := c.repo.Refs("refs/tags/")
		for _, name := range names {
			if len(args) == 0 || repo.Wild(args[0], name) {
				c.printf("%s\n", name)
			}
		}
		return err
	}
	name, at := args[0], "HEAD"
	if len(args) > 1 {
		at = args[1]
	}
	old := c.repo.Ref("refs/tags/" + name)
	commit, err := c.repo.ResolveCommit(at)
	switch {
	case !repo.ValidName(name):
		return fatal("'%s' is not a valid tag name.", name)
	case err != nil:
		return fatal("Failed to resolve '%s' as a valid ref.", at)
	case old != repo.Zero && !o.Has("f"):
		return fatal("tag '%s' already exists", name)
	}
	h := commit.Hash
	if o.Has("a") || o.Has("m") {
		if !o.Has("m") {
			return fatal("there is no editor in this sandbox: give the message with -m")
		}
		tagger, err := c.repo.Identity("COMMITTER")
		if errors.Is(err, repo.ErrNoIdentity) {
			return &failure{128, "Committer identity unknown\n" + whoAreYou + "fatal: " + err.Error()}
		}
		if err != nil {
			return fatal("%v", err)
		}
		if h, err = c.repo.WriteTag(name, h, tagger, clean(strings.Join(o.All("m"), "\n\n"))); err != nil {
			return err
		}
	}
	if old != repo.Zero && old != h {
		c.printf("Updated tag '%s' (was %s)\n", name, abbreviate(old))
	}
	return c.repo.SetRef("refs/tags/"+name, h)
}

func (c *call) deleteTags(names []string) error {
	for _, name := range names {
		h := c.repo.Ref("refs/tags/" + name)
		if h == repo.Zero {
			return wrong("tag '%s' not found.", name)
		}
		if err := c.repo.RemoveRef("refs/tags/" + name); err != nil {
			return err
		}
		c.printf("Deleted tag '%s' (was %s)\n", name, abbreviate(h))
	}
	return nil
}
