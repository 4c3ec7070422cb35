package porcelain

import (
	"fmt"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func branch(c *call) error {
	o, err := c.parse("d,delete D m,move M f,force a,all r,remotes l,list v,verbose show-current q,quiet no-color color? t,track? no-track")
	if err != nil {
		return err
	}
	args := o.Rest()
	switch {
	case o.Has("show-current"):
		if b := c.repo.Branch(); b != "" {
			c.printf("%s\n", b)
		}
		return nil
	case o.Has("d") || o.Has("D"):
		return c.deleteBranches(args, o.Has("D") || o.Has("f"), o.Has("q"))
	case o.Has("m") || o.Has("M"):
		return c.renameBranch(args, o.Has("M") || o.Has("f"))
	case len(args) == 0 || o.Has("l"):
		return c.listBranches(o, args)
	case len(args) > 2:
		return &option.Error{Text: "too many arguments", Unknown: true}
	}
	start := "HEAD"
	if len(args) == 2 {
		start = args[1]
	}
	_, err = c.createBranch(args[0], start, o.Has("f"))
	return err
}

// createBranch makes a branch at start.
func (c *call) createBranch(name, start string, force bool) (plumbing.Hash, error) {
	if !repo.ValidName(name) {
		return repo.Zero, fatal("'%s' is not a valid branch name", name)
	}
	if c.repo.Ref("refs/heads/"+name) != repo.Zero && !force {
		return repo.Zero, fatal("a branch named '%s' already exists", name)
	}
	commit, err := c.repo.ResolveCommit(start)
	if err != nil {
		if start == "HEAD" {
			start = c.repo.Branch()
		}
		return repo.Zero, fatal("not a valid object name: '%s'", start)
	}
	return commit.Hash, c.repo.SetRef("refs/heads/"+name, commit.Hash)
}

func (c *call) listBranches(o *option.Result, patterns []string) error {
	match := func(name string) bool {
		for _, p := range patterns {
			if repo.Wild(p, name) {
				return true
			}
		}
		return len(patterns) == 0
	}
	c.page()
	paint, err := c.paint("branch", o)
	if err != nil {
		return err
	}
	type line struct{ mark, color, name, to, ref string }
	var lines []line
	if !o.Has("r") {
		if c.repo.Branch() == "" {
			lines = append(lines, line{"* ", green, "(HEAD detached at " + abbreviate(c.repo.Head()) + ")", "", "HEAD"})
		}
		names, err := c.repo.Refs("refs/heads/")
		if err != nil {
			return err
		}
		for _, name := range names {
			mark, color := "  ", ""
			if name == c.repo.Branch() {
				mark, color = "* ", green
			}
			if match(name) {
				lines = append(lines, line{mark, color, name, "", "refs/heads/" + name})
			}
		}
	}
	if o.Has("a") || o.Has("r") {
		names, err := c.repo.Refs("refs/remotes/")
		if err != nil {
			return err
		}
		for _, name := range names {
			shown := name
			if o.Has("a") {
				shown = "remotes/" + name
			}
			to := c.repo.Target("refs/remotes/" + name)
			if to != "" {
				to = " -> " + strings.TrimPrefix(to, "refs/remotes/")
			}
			lines = append(lines, line{"  ", red, shown, to, "refs/remotes/" + name})
		}
	}
	width := 0
	for _, l := range lines {
		width = max(width, len(l.name))
	}
	for _, l := range lines {
		if !o.Has("v") {
			c.printf("%s%s%s\n", l.mark, paint(l.color, l.name), l.to)
			continue
		}
		commit, err := c.repo.ResolveCommit(l.ref)
		if err != nil {
			return err
		}
		c.printf("%s%s %s %s\n", l.mark, paint(l.color, fmt.Sprintf("%-*s", width, l.name)), abbreviate(commit.Hash), subject(commit.Message))
	}
	return nil
}

func (c *call) deleteBranches(names []string, force, silent bool) error {
	if len(names) == 0 {
		return fatal("branch name required")
	}
	for _, name := range names {
		h := c.repo.Ref("refs/heads/" + name)
		switch {
		case name == c.repo.Branch():
			return wrong("Cannot delete branch '%s' checked out at '%s'", name, c.repo.Top)
		case h == repo.Zero:
			return wrong("branch '%s' not found.", name)
		}
		merged, err := c.repo.IsAncestor(h, c.repo.Head())
		if err != nil {
			return err
		}
		if !merged && !force {
			return wrong("The branch '%s' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D %s'.", name, name)
		}
		if err := c.repo.RemoveRef("refs/heads/" + name); err != nil {
			return err
		}
		if !silent {
			c.printf("Deleted branch %s (was %s).\n", name, abbreviate(h))
		}
	}
	return nil
}

func (c *call) renameBranch(args []string, force bool) error {
	if len(args) == 0 {
		return fatal("branch name required")
	}
	old, name := c.repo.Branch(), args[len(args)-1]
	if len(args) > 1 {
		old = args[0]
	}
	h := c.repo.Ref("refs/heads/" + old)
	switch {
	case !repo.ValidName(name):
		return fatal("'%s' is not a valid branch name", name)
	case h == repo.Zero && old != c.repo.Branch():
		return fatal("No branch named '%s'.", old)
	case c.repo.Ref("refs/heads/"+name) != repo.Zero && !force && old != name:
		return fatal("A branch named '%s' already exists.", name)
	}
	current := old == c.repo.Branch()
	if h != repo.Zero && old != name {
		if err := c.repo.RemoveRef("refs/heads/" + old); err != nil {
			return err
		}
		if err := c.repo.SetRef("refs/heads/"+name, h); err != nil {
			return err
		}
	}
	if current {
		return c.repo.Attach(name)
	}
	return nil
}
