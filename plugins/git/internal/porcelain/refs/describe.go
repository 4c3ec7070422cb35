package refs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A nameOf a commit is what describe may call it.
type nameOf struct {
	name      string
	annotated bool
	when      int64 // of an annotated tag
	order     int   // among all names
}

// A candidate is a name that describe has found in history.
type candidate struct {
	nameOf
	commit plumbing.Hash
	depth  int // how many commits are not in it
}

func Describe(c *cli.Call) error {
	o, err := c.Parse("all tags long contains abbrev= dirty? broken? always exact-match match= exclude= first-parent candidates= debug")
	if err != nil {
		return err
	}
	args := o.Rest()
	if o.Has("contains") {
		return cli.Fatal("describe --contains is not supported in this sandbox: use git tag --contains")
	}
	if len(args) > 0 && o.Has("dirty") {
		return cli.Fatal("option '--dirty' and commit-ishes cannot be used together")
	}
	if len(args) == 0 {
		args = []string{"HEAD"}
	}
	names, err := describable(c, o)
	if err != nil {
		return err
	}
	for _, arg := range args {
		commit, err := c.Repo.ResolveCommit(arg)
		if err != nil {
			return cli.Fatal("Not a valid object name %s", arg)
		}
		text, err := describeOne(c, o, commit, names)
		if err != nil {
			return err
		}
		if o.Has("dirty") || o.Has("broken") {
			s, err := status.Read(c, nil, false, true)
			if err != nil {
				return err
			}
			if len(s.Staged)+len(s.Unstaged)+len(s.Unmerged) > 0 {
				mark := "-dirty"
				if a := o.Arg("dirty"); a != "" {
					mark = a
				}
				text += mark
			}
		}
		c.Printf("%s\n", text)
	}
	return nil
}

// describable returns the names that commits have, the best one for each.
func describable(c *cli.Call, o *option.Result) (map[plumbing.Hash]nameOf, error) {
	refs, err := c.Repo.Refs("refs/")
	if err != nil {
		return nil, err
	}
	names := map[plumbing.Hash]nameOf{}
	for i, ref := range refs {
		tag, isTag := strings.CutPrefix(ref, "tags/")
		if !isTag && !o.Has("all") || ref == "stash" {
			continue
		}
		if !isTag {
			tag = strings.TrimPrefix(ref, "heads/")
		}
		if !wanted(o.All("match"), tag, true) || !wanted(o.All("exclude"), tag, false) {
			continue
		}
		commit, err := c.Repo.ResolveCommit("refs/" + ref)
		if err != nil {
			continue
		}
		n := nameOf{name: tag, order: i}
		if o.Has("all") {
			n.name = ref
		}
		if t, err := c.Repo.Tag(c.Repo.Ref("refs/" + ref)); err == nil {
			n.annotated, n.when = true, t.Tagger.When.Unix()
			if t.Name != "" && !o.Has("all") {
				n.name = t.Name
			}
		}
		if !n.annotated && !o.Has("tags") && !o.Has("all") {
			continue
		}
		old, ok := names[commit.Hash]
		if ok && (old.annotated && !n.annotated || old.annotated == n.annotated && old.when >= n.when && !(isTag && !strings.HasPrefix(old.name, "tags/") && o.Has("all"))) {
			continue
		}
		names[commit.Hash] = n
	}
	return names, nil
}

func wanted(patterns []string, name string, without bool) bool {
	if len(patterns) == 0 {
		return true
	}
	return slices.ContainsFunc(patterns, func(p string) bool { return repo.Wild(p, name) }) == without
}

func describeOne(c *cli.Call, o *option.Result, commit *repo.Commit, names map[plumbing.Hash]nameOf) (string, error) {
	digits := 7
	if o.Has("abbrev") {
		n, err := strconv.Atoi(o.Arg("abbrev"))
		if err != nil {
			return "", &option.Error{Text: "option `abbrev' expects a numerical value"}
		}
		if digits = n; n != 0 {
			digits = min(max(n, 4), 40)
		}
	}
	long := func(name string, depth int) string {
		if digits == 0 {
			return name
		}
		return fmt.Sprintf("%s-%d-g%s", name, depth, commit.Hash.String()[:digits])
	}
	if n, ok := names[commit.Hash]; ok {
		if o.Has("long") {
			return long(n.name, 0), nil
		}
		return n.name, nil
	}
	if o.Has("exact-match") || o.Arg("candidates") == "0" {
		return "", cli.Fatal("no tag exactly matches '%s'", commit.Hash)
	}
	best, err := nearestName(c, o, commit.Hash, names)
	if err != nil {
		return "", err
	}
	switch {
	case best != nil:
		return long(best.name, best.depth), nil
	case o.Has("always"):
		return commit.Hash.String()[:max(digits, 7)], nil
	case len(names) == 0:
		return "", cli.Fatal("No names found, cannot describe anything.")
	case !o.Has("tags") && !o.Has("all"):
		all, _ := c.Repo.Refs("refs/tags/")
		if len(all) > len(names) {
			return "", cli.Fatal("No annotated tags can describe '%s'.\nHowever, there were unannotated tags: try --tags.", commit.Hash)
		}
	}
	return "", cli.Fatal("No tags can describe '%s'.\nTry --always, or create some tags.", commit.Hash)
}

// nearestName looks for the name with the fewest commits that are not in it, among the first that
// history has.
func nearestName(c *cli.Call, o *option.Result, h plumbing.Hash, names map[plumbing.Hash]nameOf) (*candidate, error) {
	most := 10
	if n, err := strconv.Atoi(o.Arg("candidates")); err == nil && n > 0 {
		most = n
	}
	var found []*candidate
	walk := c.Repo.Walk
	if o.Has("first-parent") {
		walk = c.Repo.WalkFirstParents
	}
	err := walk([]plumbing.Hash{h}, nil, func(commit *repo.Commit) bool {
		if n, ok := names[commit.Hash]; ok {
			found = append(found, &candidate{nameOf: n, commit: commit.Hash})
		}
		return len(found) < most
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var best *candidate
	for _, f := range found {
		err := walk([]plumbing.Hash{h}, []plumbing.Hash{f.commit}, func(*repo.Commit) bool { f.depth++; return best == nil || f.depth <= best.depth })
		if err != nil {
			return nil, err
		}
		if best == nil || f.depth < best.depth {
			best = f
		}
	}
	return best, nil
}
