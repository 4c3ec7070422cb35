package history

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func RevList(c *cli.Call) error {
	o, err := c.Parse(revisionOptions + "count parents children timestamp objects no-object-names object-names abbrev-commit no-abbrev-commit " +
		"abbrev= format= pretty? oneline date= header quiet stdin no-commit-header commit-header decorate? disk-usage")
	if e, ok := err.(*option.Error); ok {
		return cli.Unrecognized(e, c.Args)
	}
	revisions, paths, err := c.Split(o)
	if err != nil {
		return err
	}
	span, err := NewSpan(c, o, revisions, false)
	if err != nil {
		return err
	}
	if len(revisions) == 0 && !o.Has("all") && !o.Has("branches") && !o.Has("tags") && !o.Has("remotes") && !o.Has("glob") {
		return &cli.Failure{Status: 129, Text: "usage: " + c.Usage}
	}
	sel, err := newSelection(c, o)
	if err != nil {
		return err
	}
	d, err := change.NewOutput(c, &option.Result{}, "")
	if err != nil {
		return err
	}
	f, err := NewFormat(c, o, d)
	if err != nil {
		return err
	}
	f.mark = span.mark
	f.short = f.short || o.Has("oneline")
	formatted := o.Has("format") || o.Has("pretty") || o.Has("oneline")
	var chosen []*repo.Commit
	left, right := 0, 0
	var failed error
	more := sel.limit != 0
	visit := func(commit *repo.Commit) bool {
		if !more {
			return false
		}
		ok, err := sel.match(c, commit)
		if failed = err; err != nil {
			return false
		}
		if !ok {
			return true
		}
		if ok, more = sel.take(); !ok {
			return more
		}
		if span.left[commit.Hash] {
			left++
		} else {
			right++
		}
		if !o.Has("count") {
			chosen = append(chosen, commit)
		}
		return more
	}
	if err := firstError(walk(c, o, span, paths, visit), failed); err != nil {
		return err
	}
	switch {
	case o.Has("count") && o.Has("left-right"):
		c.Printf("%d\t%d\n", left, right)
		return nil
	case o.Has("count"):
		c.Printf("%d\n", left+right)
		return nil
	case o.Has("quiet"):
		return nil
	}
	if o.Has("reverse") {
		slices.Reverse(chosen)
	}
	for _, commit := range chosen {
		if formatted && !o.Has("oneline") {
			if !o.Has("no-commit-header") {
				c.Printf("commit %s%s\n", f.side(commit.Hash), f.id(commit.Hash))
			}
			f.listed(c, commit)
			continue
		}
		line := f.side(commit.Hash)
		if !o.Has("left-right") {
			line = ""
		}
		if o.Has("timestamp") {
			line += fmt.Sprintf("%d ", commit.Committer.When.Unix())
		}
		line += f.id(commit.Hash)
		if o.Has("parents") {
			for _, p := range commit.ParentHashes {
				line += " " + f.id(p)
			}
		}
		if o.Has("oneline") {
			line += " " + messages.Subject(commit.Message)
		}
		c.Printf("%s\n", strings.TrimSpace(line))
	}
	if o.Has("objects") {
		return listObjects(c, chosen, span, o.Has("no-object-names"))
	}
	return nil
}

// listed shows a commit below the line that names it.
func (f *Format) listed(c *cli.Call, commit *repo.Commit) {
	if f.name == "" {
		c.Printf("%s\n", f.expand(commit))
		return
	}
	old := c.Stdout
	var b strings.Builder
	c.Stdout = &b
	f.head(c, commit)
	c.Stdout = old
	_, rest, _ := strings.Cut(b.String(), "\n")
	c.Printf("%s\n", rest)
}

// listObjects names the directories and files that commits have and those left out have not.
func listObjects(c *cli.Call, commits []*repo.Commit, span *span, bare bool) error {
	seen := map[plumbing.Hash]bool{}
	for _, h := range span.Not {
		commit, err := c.Repo.Commit(h)
		if err != nil {
			return err
		}
		if err := objectsBelow(c, commit.TreeHash, "", seen, 0, func(plumbing.Hash, string) {}); err != nil {
			return err
		}
	}
	for _, commit := range commits {
		if len(commit.ParentHashes) > 0 && len(span.Not) > 0 {
			for _, p := range commit.ParentHashes {
				parent, err := c.Repo.Commit(p)
				if err != nil {
					return err
				}
				if slices.Contains(span.Not, p) {
					objectsBelow(c, parent.TreeHash, "", seen, 0, func(plumbing.Hash, string) {})
				}
			}
		}
	}
	show := func(h plumbing.Hash, name string) {
		if bare {
			c.Printf("%s\n", h)
			return
		}
		c.Printf("%s %s\n", h, name)
	}
	for _, commit := range commits {
		if err := objectsBelow(c, commit.TreeHash, "", seen, 0, show); err != nil {
			return err
		}
	}
	return nil
}

func objectsBelow(c *cli.Call, h plumbing.Hash, name string, seen map[plumbing.Hash]bool, depth int, show func(plumbing.Hash, string)) error {
	if seen[h] || depth > 500 {
		return nil
	}
	seen[h] = true
	show(h, name)
	entries, err := c.Repo.Entries(h)
	if err != nil {
		return err
	}
	for _, e := range entries {
		full := strings.TrimPrefix(name+"/"+e.Name, "/")
		switch {
		case e.Mode == filemode.Dir:
			if err := objectsBelow(c, e.Hash, full, seen, depth+1, show); err != nil {
				return err
			}
		case e.Mode != filemode.Submodule && !seen[e.Hash]:
			seen[e.Hash] = true
			show(e.Hash, full)
		}
	}
	return nil
}
