package revisions

import (
	"slices"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const mergeBaseUsage = `usage: git merge-base [-a | --all] <commit> <commit>...
   or: git merge-base [-a | --all] --octopus <commit>...
   or: git merge-base --is-ancestor <commit> <commit>
   or: git merge-base --independent <commit>...
   or: git merge-base --fork-point <ref> [<commit>]

    -a, --all             output all common ancestors
    --octopus             find ancestors for a single n-way merge
    --independent         list revs not reachable from others
    --is-ancestor         is the first one ancestor of the other?
    --fork-point          find where <commit> forked from reflog of <ref>
` + "\n"

func MergeBase(c *cli.Call) error {
	o, err := c.Parse("a,all octopus independent is-ancestor fork-point")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) < 2 && !o.Has("octopus") && !o.Has("independent") && !o.Has("fork-point") {
		c.Stderr.Write([]byte(mergeBaseUsage))
		return cli.Quiet(129)
	}
	if o.Has("fork-point") && len(args) == 1 {
		args = append(args, "HEAD")
	}
	var commits []plumbing.Hash
	for _, arg := range args {
		commit, err := c.Repo.ResolveCommit(arg)
		if err != nil {
			return cli.Fatal("Not a valid object name %s", arg)
		}
		commits = append(commits, commit.Hash)
	}
	var found []plumbing.Hash
	switch {
	case o.Has("is-ancestor"):
		if len(args) != 2 {
			return cli.Fatal("--is-ancestor takes exactly two commits")
		}
		ok, err := c.Repo.IsAncestor(commits[0], commits[1])
		if err == nil && !ok {
			return cli.Quiet(1)
		}
		return err
	case o.Has("independent"):
		found, err = c.Repo.Independent(commits)
	case o.Has("octopus"):
		found = commits[:1]
		for _, h := range commits[1:] {
			if found, err = c.Repo.MergeBases(found[0], h); err != nil || len(found) == 0 {
				break
			}
		}
	case o.Has("fork-point"):
		found, err = forkPoint(c, args[0], commits[1])
	default:
		found, err = commonBases(c, commits)
	}
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return cli.Quiet(1)
	case !o.Has("a") && !o.Has("independent"):
		found = found[:1]
	}
	for _, h := range found {
		c.Printf("%s\n", h)
	}
	return nil
}

// commonBases returns the best common ancestors of the first commit and a merge of all others.
func commonBases(c *cli.Call, commits []plumbing.Hash) ([]plumbing.Hash, error) {
	var all []plumbing.Hash
	for _, h := range commits[1:] {
		bases, err := c.Repo.MergeBases(commits[0], h)
		if err != nil {
			return nil, err
		}
		all = append(all, bases...)
	}
	return c.Repo.Independent(all)
}

// forkPoint returns where a commit left a reference, which its reflog may know better than the
// reference.
func forkPoint(c *cli.Call, name string, h plumbing.Hash) ([]plumbing.Hash, error) {
	full := c.Repo.FullName(name)
	list, err := c.Repo.Reflog(full)
	if err != nil {
		return nil, err
	}
	tips := []plumbing.Hash{c.Repo.Ref(full)}
	for _, e := range list {
		tips = append(tips, e.NewHash, e.OldHash)
	}
	tips = slices.DeleteFunc(tips, func(h plumbing.Hash) bool { return h == repo.Zero })
	bases, err := commonBases(c, append([]plumbing.Hash{h}, tips...))
	if err != nil || len(bases) != 1 || !slices.Contains(tips, bases[0]) {
		return nil, err
	}
	return bases, nil
}
