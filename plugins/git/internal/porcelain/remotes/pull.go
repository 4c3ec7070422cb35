package remotes

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/merging"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/record"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/replay"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// Pull fetches, and joins what it has fetched with the current branch.
func Pull(c *cli.Call) error {
	o, err := c.Parse(fetchOptions + " r,rebase? no-rebase ff no-ff ff-only e,edit no-edit squash no-squash commit no-commit s,strategy= " +
		"X,strategy-option= autostash no-autostash allow-unrelated-histories stat n,no-stat no-verify signoff log? no-log")
	if err != nil {
		return err
	}
	how, err := joining(c, o)
	if err != nil {
		return err
	}
	if err := ready(c, o, how); err != nil {
		return err
	}
	name, specs := usual(c, c.Repo.Branch()), []string(nil)
	if args := o.Rest(); len(args) > 0 {
		name, specs = args[0], args[1:]
	}
	if err := fetchFrom(c, o, name, specs); err != nil {
		return err
	}
	text, _ := c.Repo.State("FETCH_HEAD")
	var heads, what []string
	for line := range strings.Lines(text) {
		if h, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok && strings.HasPrefix(rest, "\t") {
			heads, what = append(heads, h), append(what, rest[1:])
		}
	}
	switch {
	case len(heads) == 0:
		return nothingToJoin(c, o, name, how)
	case len(heads) > 1 && how == "rebase":
		return cli.Fatal("Cannot rebase onto multiple branches.")
	case len(heads) > 1:
		return cli.Fatal("merges of more than one branch are not supported in this sandbox")
	}
	theirs, err := c.Repo.ResolveCommit(heads[0])
	if err != nil {
		return err
	}
	ours := c.Repo.Head()
	behind, ahead := ours == repo.Zero, false
	if ours != repo.Zero {
		if behind, err = c.Repo.IsAncestor(ours, theirs.Hash); err != nil {
			return err
		}
		if ahead, err = c.Repo.IsAncestor(theirs.Hash, ours); err != nil {
			return err
		}
	}
	switch {
	case !behind && !ahead && how == "ff-only":
		return cli.Fatal("Not possible to fast-forward, aborting.")
	case !behind && !ahead && how == "":
		return &cli.Failure{Status: 128, Text: "hint: " + strings.ReplaceAll(diverged, "\n", "\nhint: ") + "\nfatal: Need to specify how to reconcile divergent branches."}
	}
	next := c.In(c.Repo)
	if how == "rebase" && !behind {
		next.Name, next.Args = "rebase", []string{heads[0]}
		for _, option := range []string{"autostash", "q"} {
			if o.Has(option) {
				next.Args = append([]string{map[string]string{"autostash": "--autostash", "q": "-q"}[option]}, next.Args...)
			}
		}
		return replay.Rebase(next)
	}
	next.Name, next.Args = "merge", append(mergeOptions(o), "-m", mergeMessage(c, what[0]), "FETCH_HEAD")
	return merging.Command(next)
}

const diverged = `You have divergent branches and need to specify how to reconcile them.
You can do so by running one of the following commands sometime before
your next pull:

  git config pull.rebase false  # merge
  git config pull.rebase true   # rebase
  git config pull.ff only       # fast-forward only

You can replace "git config" with "git config --global" to set a default
preference for all repositories. You can also pass --rebase, --no-rebase,
or --ff-only on the command line to override the configured default per
invocation.`

// joining is how pull joins: "rebase", "ff-only", "merge", or "" if nobody has said it.
func joining(c *cli.Call, o *option.Result) (string, error) {
	if last, value := o.Last("r", "no-rebase"); last != "" {
		switch {
		case last == "no-rebase" || value == "false":
			last, _ := o.Last("ff", "no-ff", "ff-only")
			if last == "ff-only" {
				return last, nil
			}
			return "merge", nil
		case value == "" || value == "true":
			return "rebase", nil
		}
		return "", cli.Fatal("pull --rebase=%s is not supported in this sandbox", value)
	}
	if last, _ := o.Last("ff", "no-ff", "ff-only"); last != "" {
		return map[string]string{"ff-only": last}[last] + map[string]string{"ff": "merge", "no-ff": "merge"}[last], nil
	}
	rebase, said := c.Setting("branch." + c.Repo.Branch() + ".rebase")
	if !said {
		rebase, said = c.Setting("pull.rebase")
	}
	if said && rebase != "false" {
		return "rebase", nil
	}
	if ff, ok := c.Setting("pull.ff"); ok {
		if ff == "only" {
			return "ff-only", nil
		}
		return "merge", nil
	}
	if said {
		return "merge", nil
	}
	return "", nil
}

// ready fails where what is in the working tree is in the way.
func ready(c *cli.Call, o *option.Result, how string) error {
	s, err := status.Read(c, nil, false, true)
	if err != nil {
		return err
	}
	auto, _ := c.Setting("rebase.autostash")
	switch {
	case len(s.Unmerged) > 0:
		return &cli.Failure{Status: 128, Text: "error: Pulling is not possible because you have unmerged files.\n" + record.Unresolved}
	case c.Repo.HasState("MERGE_HEAD"):
		return cli.Fatal("You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.")
	case how != "rebase" || o.Has("autostash") || auto == "true" && !o.Has("no-autostash"):
		return nil
	case len(s.Unstaged) > 0 && len(s.Staged) > 0:
		return &cli.Failure{Status: 128, Text: "error: cannot pull with rebase: You have unstaged changes.\nerror: additionally, your index contains uncommitted changes.\nerror: please commit or stash them."}
	case len(s.Unstaged) > 0:
		return &cli.Failure{Status: 128, Text: "error: cannot pull with rebase: You have unstaged changes.\nerror: please commit or stash them."}
	case len(s.Staged) > 0:
		return &cli.Failure{Status: 128, Text: "error: cannot pull with rebase: Your index contains uncommitted changes.\nerror: please commit or stash them."}
	}
	return nil
}

// nothingToJoin says what to type where no branch is followed.
func nothingToJoin(c *cli.Call, o *option.Result, name, how string) error {
	branch := c.Repo.Branch()
	with := "merge with"
	if how == "rebase" {
		with = "rebase against"
	}
	text := "Please specify which branch you want to " + with + ".\nSee git-pull(1) for details.\n\n    git pull <remote> <branch>\n"
	merge, _ := c.Repo.Config.Get("branch." + branch + ".merge")
	switch {
	case branch == "":
		return &cli.Failure{Status: 1, Text: "You are not currently on a branch.\n" + text + "\n"}
	case merge != "" && len(o.Rest()) < 2:
		return &cli.Failure{Status: 1, Text: fmt.Sprintf("Your configuration specifies to merge with the ref '%s'\nfrom the remote, but no such ref was fetched.", merge)}
	}
	if len(names(c)) > 1 {
		name = "<remote>"
	}
	return &cli.Failure{Status: 1, Text: "There is no tracking information for the current branch.\n" + text +
		"\nIf you wish to set tracking information for this branch you can do so with:\n\n    git branch --set-upstream-to=" + name + "/<branch> " + branch + "\n\n"}
}

// mergeOptions are the options of pull's that are merge's.
func mergeOptions(o *option.Result) (out []string) {
	for _, name := range []string{"ff", "no-ff", "ff-only", "squash", "no-commit", "no-stat", "allow-unrelated-histories", "stat"} {
		if o.Has(name) {
			out = append(out, "--"+name)
		}
	}
	if o.Has("q") {
		out = append(out, "-q")
	}
	for _, s := range o.All("s") {
		out = append(out, "-s", s)
	}
	for _, x := range o.All("X") {
		out = append(out, "-X", x)
	}
	return out
}

// mergeMessage is what the commit of a merge says; what is as FETCH_HEAD has it.
func mergeMessage(c *cli.Call, what string) string {
	text := "Merge " + what
	if b := c.Repo.Branch(); b == "" {
		text += " into HEAD"
	} else if b != "main" && b != "master" {
		text += " into " + b
	}
	return text
}
