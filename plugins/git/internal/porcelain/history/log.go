// Package history walks over commits and shows them: log, reflog, show, shortlog and rev-list.
package history

import (
	"errors"
	"slices"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const logOptions = revisionOptions + "oneline format= pretty? abbrev-commit no-abbrev-commit decorate? no-decorate date= follow graph no-graph no-walk? " +
	"S= G= pickaxe-regex pickaxe-all m c cc diff-merges= no-diff-merges show-signature no-notes notes? no-expand-tabs expand-tabs? " +
	"no-mailmap mailmap use-mailmap log-size clear-decorations decorate-refs= encoding= source relative-date "

// ChangesOf returns what a commit changed since its first parent.
func ChangesOf(c *cli.Call, commit *repo.Commit, paths repo.Paths) ([]change.Change, *change.Output, error) {
	d := &change.Output{Repo: c.Repo, Context: 3, Renames: true} // for counts alone
	parent := repo.Zero
	if len(commit.ParentHashes) > 0 {
		parent = commit.ParentHashes[0]
	}
	a, b, err := c.Repo.Differences(parent, commit.Hash, paths)
	if err != nil {
		return nil, nil, err
	}
	return change.Renames(change.Compare(a, b, paths), d.Read), d, nil
}

// WhatChanged is the log of older times.
func WhatChanged(c *cli.Call) error {
	c.Args = append([]string{"--raw", "--no-merges"}, c.Args...)
	return Log(c)
}

func Log(c *cli.Call) error {
	o, err := c.Parse(logOptions + change.Options)
	if e, ok := err.(*option.Error); ok {
		return cli.Unrecognized(e, c.Args)
	}
	revisions, paths, err := c.Split(o)
	if err != nil {
		return err
	}
	if o.Has("g") {
		return logReflog(c, o, revisions)
	}
	span, err := NewSpan(c, o, revisions, true)
	if err != nil {
		return err
	}
	f, sel, err := logOutput(c, o, span)
	if err != nil {
		return err
	}
	d := f.diff
	if f.combine && len(d.Forms) == 0 {
		d.Forms = []string{"patch"}
	}
	f.pickaxe = sel.pickaxe
	if f.pickaxe != nil {
		f.pickaxe.paths = paths
	}
	if d.Filter != "" || c.Name == "whatchanged" {
		sel.diff, sel.paths = d, paths
	}
	if o.Has("graph") {
		return logGraph(c, o, f, sel, span, paths)
	}
	walked := paths
	if o.Has("follow") {
		if len(paths) != 1 {
			return cli.Fatal("--follow requires exactly one pathspec")
		}
		f.follower = &follower{c: c, name: paths[0], changes: map[plumbing.Hash][]change.Change{}}
		walked = nil
	}
	return logList(c, o, f, sel, span, walked, paths)
}

// logOutput is how commits are shown, and which of those that are walked over.
func logOutput(c *cli.Call, o *option.Result, s *span) (*Format, *selection, error) {
	d, err := change.NewOutput(c, o, "")
	if err != nil {
		return nil, nil, err
	}
	f, err := NewFormat(c, o, d)
	if err != nil {
		return nil, nil, err
	}
	f.mark = s.mark
	sel, err := newSelection(c, o)
	return f, sel, err
}

// logList shows commits one below the other, as they are found.
func logList(c *cli.Call, o *option.Result, f *Format, sel *selection, span *span, walked, paths repo.Paths) error {
	// One is held back where the last looks different.
	held := 0
	if f.separated() {
		held = 1
	}
	var chosen []*repo.Commit
	shown := 0
	show := func(n int, flush func() error) (err error) {
		for ; n > 0 && err == nil; n-- {
			err = f.write(c, chosen[0], paths, shown == 0, len(chosen) == 1)
			chosen = chosen[1:]
			shown++
		}
		return errors.Join(err, flush())
	}
	reverse := o.Has("reverse")
	var failed error
	more := sel.limit != 0
	visit := func(commit *repo.Commit) bool {
		if !more {
			return false
		}
		ok, err := sel.match(c, commit)
		if ok && err == nil && f.follower != nil {
			ok, err = f.follower.match(commit)
		}
		if failed = err; err != nil {
			return false
		}
		if ok {
			if ok, more = sel.take(); ok {
				chosen = append(chosen, commit)
			}
			if !reverse {
				failed = show(len(chosen)-held, c.FlushSoon)
			}
		}
		return failed == nil && more
	}
	err := walk(c, o, span, walked, visit)
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	if reverse {
		slices.Reverse(chosen)
	}
	return show(len(chosen), c.Buffer.Flush)
}
