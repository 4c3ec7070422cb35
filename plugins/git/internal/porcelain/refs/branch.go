package refs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func Branch(c *cli.Call) error {
	o, err := c.Parse("d,delete D m,move M c,copy C f,force a,all r,remotes l,list v,verbose show-current q,quiet no-color color? t,track? no-track " +
		"u,set-upstream-to= unset-upstream edit-description abbrev= no-abbrev create-reflog" + refFilters)
	if err != nil {
		return err
	}
	args := o.Rest()
	switch {
	case o.Has("show-current"):
		if b := c.Repo.Branch(); b != "" {
			c.Printf("%s\n", b)
		}
		return nil
	case o.Has("d") || o.Has("D"):
		return deleteBranches(c, args, o.Has("D") || o.Has("f"), o.Has("q"))
	case o.Has("m") || o.Has("M"):
		return renameBranch(c, args, o.Has("M") || o.Has("f"))
	case o.Has("u") || o.Has("unset-upstream"):
		return setUpstream(c, o, args)
	case o.Has("c") || o.Has("C"):
		return copyBranch(c, args, o.Has("C") || o.Has("f"))
	case len(args) == 0 || o.Has("l") || o.Has("contains") || o.Has("no-contains") || o.Has("merged") || o.Has("no-merged") || o.Has("points-at") ||
		o.Has("a") || o.Has("r"):
		return listBranches(c, o)
	case len(args) > 2:
		return &option.Error{Text: "too many arguments", Unknown: true}
	}
	start := "HEAD"
	if len(args) == 2 {
		start = args[1]
	}
	up, err := UpstreamOf(c, o, start)
	if err != nil {
		return err
	}
	if _, err := CreateBranch(c, args[0], start, o.Has("f")); err != nil {
		return err
	}
	return up.Set(c, args[0], o.Has("q"))
}

// CreateBranch makes a branch at start.
func CreateBranch(c *cli.Call, name, start string, force bool) (plumbing.Hash, error) {
	if !repo.ValidName(name) {
		return repo.Zero, cli.Fatal("'%s' is not a valid branch name", name)
	}
	if c.Repo.Ref("refs/heads/"+name) != repo.Zero && !force {
		return repo.Zero, cli.Fatal("a branch named '%s' already exists", name)
	}
	commit, err := c.Repo.ResolveCommit(start)
	if err != nil {
		if start == "HEAD" {
			start = c.Repo.Branch()
		}
		return repo.Zero, cli.Fatal("not a valid object name: '%s'", start)
	}
	old := c.Repo.Ref("refs/heads/" + name)
	if err := c.Repo.SetRef("refs/heads/"+name, commit.Hash); err != nil {
		return repo.Zero, err
	}
	why := "branch: Created from " + start
	if old != repo.Zero {
		why = "branch: Reset to " + start
	}
	return commit.Hash, c.Repo.Log("refs/heads/"+name, old, commit.Hash, why)
}

func copyBranch(c *cli.Call, args []string, force bool) error {
	if len(args) == 0 {
		return cli.Fatal("branch name required")
	}
	start := c.Repo.Branch()
	if len(args) > 1 {
		start = args[0]
	}
	_, err := CreateBranch(c, args[len(args)-1], start, force)
	return err
}

// A branchLine is one line of a list of branches.
type branchLine struct {
	mark, color, name, to string
	ref                   refInfo
}

func listBranches(c *cli.Call, o *option.Result) error {
	c.Page()
	paint, err := c.Paint("branch", o)
	if err != nil {
		return err
	}
	var refs []refInfo
	for _, kind := range []struct {
		prefix string
		shown  bool
	}{{"refs/heads/", !o.Has("r")}, {"refs/remotes/", o.Has("a") || o.Has("r")}} {
		if !kind.shown {
			continue
		}
		more, err := allRefs(c, kind.prefix)
		if err != nil {
			return err
		}
		refs = append(refs, more...)
	}
	if !o.Has("r") && c.Repo.Branch() == "" && c.Repo.Head() != repo.Zero {
		refs = append([]refInfo{newRefInfo(c, "HEAD")}, refs...)
	}
	refs, patterns, err := filter(c, o, refs)
	if err != nil {
		return err
	}
	elsewhere := Elsewhere(c)
	var lines []branchLine
	width := 0
	for _, r := range refs {
		name := r.short()
		l := branchLine{mark: "  ", name: name, ref: r}
		remote := strings.HasPrefix(r.full, "refs/remotes/")
		switch {
		case len(patterns) > 0 && !slices.ContainsFunc(patterns, func(p string) bool { return repo.Wild(p, name) }):
			continue
		case r.full == "HEAD":
			l.mark, l.color, l.name = "* ", cli.Green, detachedName(c)
		case remote:
			l.color = cli.Red
			if o.Has("a") {
				l.name = "remotes/" + name
			}
			if to := c.Repo.Target(r.full); to != "" {
				l.to = " -> " + strings.TrimPrefix(to, "refs/remotes/")
			}
		case name == c.Repo.Branch():
			l.mark, l.color = "* ", cli.Green
		case elsewhere[name] != "":
			l.mark, l.color = "+ ", "\x1b[36m"
		}
		lines = append(lines, l)
		width = max(width, len(l.name))
	}
	for _, l := range lines {
		if o.Has("format") {
			text, err := expandRef(c, o.Arg("format"), l.ref)
			if err != nil {
				return err
			}
			c.Printf("%s\n", text)
			continue
		}
		if !o.Has("v") || l.ref.commit == nil {
			c.Printf("%s%s%s\n", l.mark, paint(l.color, l.name), l.to)
			continue
		}
		if l.to != "" {
			c.Printf("%s%s%s\n", l.mark, paint(l.color, fmt.Sprintf("%-*s", width, l.name)), l.to)
			continue
		}
		c.Printf("%s%s %s %s%s\n", l.mark, paint(l.color, fmt.Sprintf("%-*s", width, l.name)), cli.Abbreviate(l.ref.commit.Hash),
			branchNotes(c, o, l, elsewhere), messages.Subject(l.ref.commit.Message))
	}
	return nil
}

// branchNotes tells how a branch stands to what it follows: -v and -vv.
func branchNotes(c *cli.Call, o *option.Result, l branchLine, elsewhere map[string]string) string {
	name, isBranch := strings.CutPrefix(l.ref.full, "refs/heads/")
	if !isBranch {
		return ""
	}
	up, ahead, behind := status.Upstream(c, name)
	notes := ""
	if dir := elsewhere[name]; dir != "" && len(o.All("v")) > 1 {
		notes = "(" + dir + ") "
	}
	track := strings.Trim(status.AheadBehind(ahead, behind), " []")
	switch {
	case up == "":
		return notes
	case len(o.All("v")) == 1 && track != "":
		return notes + "[" + track + "] "
	case len(o.All("v")) == 1:
		return notes
	case track != "":
		return notes + "[" + up + ": " + track + "] "
	}
	return notes + "[" + up + "] "
}

// detachedName is how lists of branches call HEAD on none.
func detachedName(c *cli.Call) string {
	if branch, ok := c.Repo.StateLine(status.RebaseDir + "/head-name"); ok {
		return "(no branch, rebasing " + strings.TrimPrefix(branch, "refs/heads/") + ")"
	}
	name, at := status.Detached(c)
	if at == c.Repo.Head() {
		return "(HEAD detached at " + name + ")"
	}
	return "(HEAD detached from " + name + ")"
}

// Elsewhere returns the branches that other working trees have checked out, and where those are.
func Elsewhere(c *cli.Call) map[string]string {
	list, err := c.Repo.Worktrees()
	if err != nil || len(list) < 2 {
		return nil
	}
	out := map[string]string{}
	for _, w := range list {
		if w.Dir != c.Repo.Dir && w.Branch != "" && !w.Gone {
			out[w.Branch] = w.Top
		}
	}
	return out
}

func deleteBranches(c *cli.Call, names []string, force, silent bool) error {
	if len(names) == 0 {
		return cli.Fatal("branch name required")
	}
	failed := false
	for _, name := range names {
		err := deleteBranch(c, c.Prior(name), force, silent)
		var f *cli.Failure
		if errors.As(err, &f) {
			fmt.Fprintln(c.Stderr, f.Text)
			failed = true
		} else if err != nil {
			return err
		}
	}
	if failed {
		return cli.Quiet(1)
	}
	return nil
}

func deleteBranch(c *cli.Call, name string, force, silent bool) error {
	h := c.Repo.Ref("refs/heads/" + name)
	switch dir := Elsewhere(c)[name]; {
	case name == c.Repo.Branch():
		return cli.Wrong("Cannot delete branch '%s' checked out at '%s'", name, c.Repo.Top)
	case dir != "":
		return cli.Wrong("Cannot delete branch '%s' checked out at '%s'", name, dir)
	case h == repo.Zero:
		return cli.Wrong("branch '%s' not found.", name)
	}
	merged, err := c.Repo.IsAncestor(h, c.Repo.Head())
	if err != nil {
		return err
	}
	if !merged && !force {
		return cli.Wrong("The branch '%s' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D %s'.", name, name)
	}
	if err := c.Repo.RemoveRef("refs/heads/" + name); err != nil {
		return err
	}
	if !silent {
		c.Printf("Deleted branch %s (was %s).\n", name, cli.Abbreviate(h))
	}
	return nil
}

func renameBranch(c *cli.Call, args []string, force bool) error {
	if len(args) == 0 {
		return cli.Fatal("branch name required")
	}
	old, name := c.Repo.Branch(), args[len(args)-1]
	if len(args) > 1 {
		old = args[0]
	}
	h := c.Repo.Ref("refs/heads/" + old)
	switch {
	case !repo.ValidName(name):
		return cli.Fatal("'%s' is not a valid branch name", name)
	case h == repo.Zero && old != c.Repo.Branch():
		return cli.Fatal("No branch named '%s'.", old)
	case c.Repo.Ref("refs/heads/"+name) != repo.Zero && !force && old != name:
		return cli.Fatal("a branch named '%s' already exists", name)
	}
	current := old == c.Repo.Branch()
	if h != repo.Zero && old != name {
		log, err := c.Repo.Reflog("refs/heads/" + old)
		err = errors.Join(err, c.Repo.RemoveRef("refs/heads/"+old), c.Repo.SetRef("refs/heads/"+name, h), c.Repo.SetReflog("refs/heads/"+name, log),
			c.Repo.Log("refs/heads/"+name, h, h, "Branch: renamed refs/heads/"+old+" to refs/heads/"+name))
		if err != nil {
			return err
		}
	}
	if current {
		return c.Repo.Attach(name)
	}
	return nil
}
