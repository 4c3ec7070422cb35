package diffs

import (
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// DiffTree compares two trees, or a commit with its parent.
func DiffTree(c *cli.Call) error {
	o, err := c.Parse("r t root no-commit-id m c cc pretty? format= stdin v always merge-base " + change.Options)
	if err != nil {
		return err
	}
	revisions, paths, err := c.Split(o)
	if err != nil {
		return err
	}
	if len(revisions) == 1 && strings.Contains(revisions[0], "..") {
		a, b, _ := strings.Cut(revisions[0], "..")
		revisions = []string{cli.OrHead(a), cli.OrHead(b)}
	}
	var a, b repo.Snapshot
	switch len(revisions) {
	case 1:
		commit, err := c.Repo.ResolveCommit(revisions[0])
		if err != nil {
			return cli.Ambiguous(revisions[0])
		}
		if len(commit.ParentHashes) != 1 && !(len(commit.ParentHashes) == 0 && o.Has("root")) {
			// A merge shows nothing without -m or -c, a first commit nothing without --root.
			return nil
		}
		parent := repo.Zero
		if len(commit.ParentHashes) > 0 {
			parent = commit.ParentHashes[0]
		}
		if a, b, err = c.Repo.Differences(parent, commit.Hash, paths); err != nil {
			return err
		}
		if !o.Has("no-commit-id") && len(a)+len(b) > 0 {
			c.Printf("%s\n", commit.Hash)
		}
	case 2:
		if a, err = c.Tree(revisions[0]); err == nil {
			b, err = c.Tree(revisions[1])
		}
		if err != nil {
			return err
		}
	default:
		return &cli.Failure{Status: 129, Text: "usage: " + c.Usage}
	}
	changes := change.Compare(a, b, paths)
	if !o.Has("r") && !o.Has("p") && !o.Has("stat") && !o.Has("numstat") && !o.Has("shortstat") {
		changes = topLevel(changes)
	}
	return plumbingDiff(c, o, changes, false)
}

// topLevel shows directories in place of what changed in them.
func topLevel(changes []change.Change) (out []change.Change) {
	for _, ch := range changes {
		if dir, _, ok := strings.Cut(ch.New, "/"); ok {
			ch = change.Change{Status: 'M', Old: dir, New: dir}
			if len(out) > 0 && out[len(out)-1].New == dir {
				continue
			}
		}
		out = append(out, ch)
	}
	return out
}

func DiffIndex(c *cli.Call) error {
	o, err := c.Parse("cached m merge-base " + change.Options)
	if err != nil {
		return err
	}
	revisions, paths, err := c.Split(o)
	if err != nil {
		return err
	}
	if len(revisions) != 1 {
		return &cli.Failure{Status: 129, Text: "usage: " + c.Usage}
	}
	d := &change.Output{Repo: c.Repo}
	a, b, err := sides(c, d, revisions, o.Has("cached"))
	if err != nil {
		return err
	}
	return plumbingDiff(c, o, change.Compare(a, b, paths), !o.Has("cached"))
}

func DiffFiles(c *cli.Call) error {
	o, err := c.Parse("0 1 2 3 c cc " + change.Options)
	if err != nil {
		return err
	}
	paths, outside := c.Repo.Paths(o.Rest())
	if outside != "" {
		return c.Outside(outside)
	}
	a, b, err := sides(c, &change.Output{Repo: c.Repo}, nil, false)
	if err != nil {
		return err
	}
	return plumbingDiff(c, o, change.Compare(a, b, paths), true)
}

func plumbingDiff(c *cli.Call, o *option.Result, changes []change.Change, disk bool) error {
	d, err := change.NewOutput(c, o, "raw")
	if err != nil {
		return err
	}
	d.Disk = disk
	d.Renames = o.Has("M")
	if !o.Has("abbrev") && d.Digits == 0 {
		d.Long = d.Long || slices.Equal(d.Forms, []string{"raw"})
	}
	changes = d.Pick(changes)
	if !o.Has("quiet") {
		d.Write(c.Stdout, changes)
	}
	if len(changes) > 0 && (o.Has("quiet") || o.Has("exit-code")) {
		return cli.Quiet(1)
	}
	return nil
}
