package porcelain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"
	"github.com/go-git/go-git/v6/plumbing/object"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
)

func revList(c *call) error {
	o, err := c.parse(revisionOptions + "count parents children timestamp objects no-object-names object-names abbrev-commit no-abbrev-commit " +
		"abbrev= format= pretty? oneline date= header quiet stdin no-commit-header commit-header decorate? disk-usage")
	if e, ok := err.(*option.Error); ok {
		return unrecognized(e, c.args)
	}
	revisions, paths, err := c.split(o)
	if err != nil {
		return err
	}
	span, err := c.span(o, revisions, false)
	if err != nil {
		return err
	}
	if len(revisions) == 0 && !o.Has("all") && !o.Has("branches") && !o.Has("tags") && !o.Has("remotes") && !o.Has("glob") {
		return &failure{129, "usage: " + commands()["rev-list"].usage}
	}
	sel, err := c.selection(o)
	if err != nil {
		return err
	}
	d, err := c.diffOutput(&option.Result{}, "")
	if err != nil {
		return err
	}
	f, err := c.logFormat(o, d)
	if err != nil {
		return err
	}
	f.mark = span.mark
	f.short = f.short || o.Has("oneline")
	formatted := o.Has("format") || o.Has("pretty") || o.Has("oneline")
	var chosen []*object.Commit
	left, right := 0, 0
	var failed error
	more := sel.limit != 0
	visit := func(commit *object.Commit) bool {
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
	if err := firstError(c.walk(o, span, paths, visit), failed); err != nil {
		return err
	}
	switch {
	case o.Has("count") && o.Has("left-right"):
		c.printf("%d\t%d\n", left, right)
		return nil
	case o.Has("count"):
		c.printf("%d\n", left+right)
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
				c.printf("commit %s%s\n", f.side(commit.Hash), f.id(commit.Hash))
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
			line += " " + subject(commit.Message)
		}
		c.printf("%s\n", strings.TrimSpace(line))
	}
	if o.Has("objects") {
		return c.listObjects(chosen, span, o.Has("no-object-names"))
	}
	return nil
}

// listed shows a commit below the line that names it.
func (f *logFormat) listed(c *call, commit *object.Commit) {
	if f.name == "" {
		c.printf("%s\n", f.expand(commit))
		return
	}
	old := c.stdout
	var b strings.Builder
	c.stdout = &b
	f.head(c, commit)
	c.stdout = old
	_, rest, _ := strings.Cut(b.String(), "\n")
	c.printf("%s\n", rest)
}

// listObjects names the directories and files that commits have and those left out have not.
func (c *call) listObjects(commits []*object.Commit, span *span, bare bool) error {
	seen := map[plumbing.Hash]bool{}
	for _, h := range span.not {
		commit, err := c.repo.Commit(h)
		if err != nil {
			return err
		}
		if err := c.objectsBelow(commit.TreeHash, "", seen, 0, func(plumbing.Hash, string) {}); err != nil {
			return err
		}
	}
	for _, commit := range commits {
		if len(commit.ParentHashes) > 0 && len(span.not) > 0 {
			for _, p := range commit.ParentHashes {
				parent, err := c.repo.Commit(p)
				if err != nil {
					return err
				}
				if slices.Contains(span.not, p) {
					c.objectsBelow(parent.TreeHash, "", seen, 0, func(plumbing.Hash, string) {})
				}
			}
		}
	}
	show := func(h plumbing.Hash, name string) {
		if bare {
			c.printf("%s\n", h)
			return
		}
		c.printf("%s %s\n", h, name)
	}
	for _, commit := range commits {
		if err := c.objectsBelow(commit.TreeHash, "", seen, 0, show); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) objectsBelow(h plumbing.Hash, name string, seen map[plumbing.Hash]bool, depth int, show func(plumbing.Hash, string)) error {
	if seen[h] || depth > 500 {
		return nil
	}
	seen[h] = true
	show(h, name)
	entries, err := c.repo.Entries(h)
	if err != nil {
		return err
	}
	for _, e := range entries {
		full := strings.TrimPrefix(name+"/"+e.Name, "/")
		switch {
		case e.Mode == filemode.Dir:
			if err := c.objectsBelow(e.Hash, full, seen, depth+1, show); err != nil {
				return err
			}
		case e.Mode != filemode.Submodule && !seen[e.Hash]:
			seen[e.Hash] = true
			show(e.Hash, full)
		}
	}
	return nil
}
