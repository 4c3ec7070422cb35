package porcelain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func branch(c *call) error {
	o, err := c.parse("d,delete D m,move M c,copy C f,force a,all r,remotes l,list v,verbose show-current q,quiet no-color color? t,track? no-track " +
		"u,set-upstream-to= unset-upstream edit-description abbrev= no-abbrev create-reflog" + refFilters)
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
	case o.Has("u") || o.Has("unset-upstream"):
		return c.setUpstream(o, args)
	case o.Has("c") || o.Has("C"):
		return c.copyBranch(args, o.Has("C") || o.Has("f"))
	case len(args) == 0 || o.Has("l") || o.Has("contains") || o.Has("no-contains") || o.Has("merged") || o.Has("no-merged") || o.Has("points-at") ||
		o.Has("a") || o.Has("r"):
		return c.listBranches(o)
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
	old := c.repo.Ref("refs/heads/" + name)
	if err := c.repo.SetRef("refs/heads/"+name, commit.Hash); err != nil {
		return repo.Zero, err
	}
	why := "branch: Created from " + start
	if old != repo.Zero {
		why = "branch: Reset to " + start
	}
	return commit.Hash, c.repo.Log("refs/heads/"+name, old, commit.Hash, why)
}

// setUpstream notes what a branch follows.
func (c *call) setUpstream(o *option.Result, args []string) error {
	name := c.repo.Branch()
	if len(args) > 0 {
		name = args[0]
	}
	if c.repo.Ref("refs/heads/"+name) == repo.Zero {
		return fatal("branch '%s' does not exist", name)
	}
	keys := []string{"branch." + name + ".remote", "branch." + name + ".merge"}
	if o.Has("unset-upstream") {
		was := false
		for _, key := range keys {
			had, err := c.repo.Config.Set(key, "", false, true)
			if err != nil {
				return err
			}
			was = was || had
		}
		if !was {
			return fatal("Branch '%s' has no upstream information", name)
		}
		return nil
	}
	remote, merge := "", ""
	switch up := o.Arg("u"); {
	case c.repo.Ref("refs/remotes/"+up) != repo.Zero:
		remote, merge, _ = strings.Cut(up, "/")
	case c.repo.Ref("refs/heads/"+up) != repo.Zero:
		remote, merge = ".", up
	default:
		return &failure{128, fmt.Sprintf("fatal: the requested upstream branch '%s' does not exist\nhint: \nhint: If you are planning on basing your work on an upstream\n"+
			"hint: branch that already exists at the remote, you may need to\nhint: run \"git fetch\" to retrieve it.\nhint: \n"+
			"hint: If you are planning to push out a new local branch that\nhint: will track its remote counterpart, you may want to use\n"+
			"hint: \"git push -u\" to set the upstream config as you push.\nhint: Disable this message with \"git config advice.setUpstreamFailure false\"", up)}
	}
	for i, value := range []string{remote, "refs/heads/" + merge} {
		if _, err := c.repo.Config.Set(keys[i], value, false, false); err != nil {
			return err
		}
	}
	c.printf("branch '%s' set up to track '%s'.\n", name, o.Arg("u"))
	return nil
}

func (c *call) copyBranch(args []string, force bool) error {
	if len(args) == 0 {
		return fatal("branch name required")
	}
	start := c.repo.Branch()
	if len(args) > 1 {
		start = args[0]
	}
	_, err := c.createBranch(args[len(args)-1], start, force)
	return err
}

// A branchLine is one line of a list of branches.
type branchLine struct {
	mark, color, name, to string
	ref                   refInfo
}

func (c *call) listBranches(o *option.Result) error {
	c.page()
	paint, err := c.paint("branch", o)
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
		more, err := c.allRefs(kind.prefix)
		if err != nil {
			return err
		}
		refs = append(refs, more...)
	}
	if !o.Has("r") && c.repo.Branch() == "" && c.repo.Head() != repo.Zero {
		refs = append([]refInfo{c.refInfo("HEAD")}, refs...)
	}
	refs, patterns, err := c.filter(o, refs)
	if err != nil {
		return err
	}
	elsewhere := c.elsewhere()
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
			l.mark, l.color, l.name = "* ", green, c.detachedName()
		case remote:
			l.color = red
			if o.Has("a") {
				l.name = "remotes/" + name
			}
			if to := c.repo.Target(r.full); to != "" {
				l.to = " -> " + strings.TrimPrefix(to, "refs/remotes/")
			}
		case name == c.repo.Branch():
			l.mark, l.color = "* ", green
		case elsewhere[name] != "":
			l.mark, l.color = "+ ", "\x1b[36m"
		}
		lines = append(lines, l)
		width = max(width, len(l.name))
	}
	for _, l := range lines {
		if o.Has("format") {
			text, err := c.expandRef(o.Arg("format"), l.ref)
			if err != nil {
				return err
			}
			c.printf("%s\n", text)
			continue
		}
		if !o.Has("v") || l.ref.commit == nil {
			c.printf("%s%s%s\n", l.mark, paint(l.color, l.name), l.to)
			continue
		}
		if l.to != "" {
			c.printf("%s%s%s\n", l.mark, paint(l.color, fmt.Sprintf("%-*s", width, l.name)), l.to)
			continue
		}
		c.printf("%s%s %s %s%s\n", l.mark, paint(l.color, fmt.Sprintf("%-*s", width, l.name)), abbreviate(l.ref.commit.Hash),
			c.branchNotes(o, l, elsewhere), subject(l.ref.commit.Message))
	}
	return nil
}

// branchNotes tells how a branch stands to what it follows: -v and -vv.
func (c *call) branchNotes(o *option.Result, l branchLine, elsewhere map[string]string) string {
	name, isBranch := strings.CutPrefix(l.ref.full, "refs/heads/")
	if !isBranch {
		return ""
	}
	up, ahead, behind := c.upstream(name)
	notes := ""
	if dir := elsewhere[name]; dir != "" && len(o.All("v")) > 1 {
		notes = "(" + dir + ") "
	}
	track := strings.Trim(aheadBehind(ahead, behind), " []")
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
func (c *call) detachedName() string {
	if branch, ok := c.repo.StateLine(rebaseDir + "/head-name"); ok {
		return "(no branch, rebasing " + strings.TrimPrefix(branch, "refs/heads/") + ")"
	}
	name, at := c.detached()
	if at == c.repo.Head() {
		return "(HEAD detached at " + name + ")"
	}
	return "(HEAD detached from " + name + ")"
}

// elsewhere returns the branches that other working trees have checked out, and where those are.
func (c *call) elsewhere() map[string]string {
	list, err := c.repo.Worktrees()
	if err != nil || len(list) < 2 {
		return nil
	}
	out := map[string]string{}
	for _, w := range list {
		if w.Dir != c.repo.Dir && w.Branch != "" && !w.Gone {
			out[w.Branch] = w.Top
		}
	}
	return out
}

func (c *call) deleteBranches(names []string, force, silent bool) error {
	if len(names) == 0 {
		return fatal("branch name required")
	}
	failed := false
	for _, name := range names {
		err := c.deleteBranch(c.prior(name), force, silent)
		var f *failure
		if errors.As(err, &f) {
			fmt.Fprintln(c.stderr, f.text)
			failed = true
		} else if err != nil {
			return err
		}
	}
	if failed {
		return quiet(1)
	}
	return nil
}

func (c *call) deleteBranch(name string, force, silent bool) error {
	h := c.repo.Ref("refs/heads/" + name)
	switch dir := c.elsewhere()[name]; {
	case name == c.repo.Branch():
		return wrong("Cannot delete branch '%s' checked out at '%s'", name, c.repo.Top)
	case dir != "":
		return wrong("Cannot delete branch '%s' checked out at '%s'", name, dir)
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
		log, err := c.repo.Reflog("refs/heads/" + old)
		err = errors.Join(err, c.repo.RemoveRef("refs/heads/"+old), c.repo.SetRef("refs/heads/"+name, h), c.repo.SetReflog("refs/heads/"+name, log),
			c.repo.Log("refs/heads/"+name, h, h, "Branch: renamed refs/heads/"+old+" to refs/heads/"+name))
		if err != nil {
			return err
		}
	}
	if current {
		return c.repo.Attach(name)
	}
	return nil
}
