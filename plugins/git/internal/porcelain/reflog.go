package porcelain

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func reflogCommand(c *call) error {
	verb := "show"
	if len(c.args) > 0 && !strings.HasPrefix(c.args[0], "-") {
		switch c.args[0] {
		case "show", "exists", "delete", "expire":
			verb, c.args = c.args[0], c.args[1:]
		}
	}
	switch verb {
	case "exists":
		if len(c.args) != 1 {
			return &failure{129, "usage: git reflog exists <ref>"}
		}
		list, err := c.repo.Reflog(c.args[0])
		if err == nil && len(list) == 0 {
			return quiet(1)
		}
		return err
	case "delete", "expire":
		return fatal("reflog %s is not supported in this sandbox", verb)
	}
	o, err := c.parse(logOptions + diffOptions)
	if err != nil {
		return err
	}
	return c.logReflog(o, o.Rest())
}

// logReflog shows where a reference was, the last first.
func (c *call) logReflog(o *option.Result, revisions []string) error {
	name := "HEAD"
	if len(revisions) > 0 {
		name = revisions[0]
	}
	full := c.repo.FullName(name)
	if full == "" {
		return ambiguous(name)
	}
	if name == "" || name == "@" {
		name = "HEAD"
	}
	list, err := c.repo.Reflog(full)
	if err != nil {
		return err
	}
	d, err := c.diffOutput(o, "")
	if err != nil {
		return err
	}
	f, err := c.logFormat(o, d)
	if err != nil {
		return err
	}
	if c.name == "reflog" && !o.Has("format") && !o.Has("pretty") {
		f.name, f.short = "oneline", true
	}
	f.mark = (&span{}).mark
	sel, err := c.selection(o)
	if err != nil {
		return err
	}
	shown := 0
	for i, e := range list {
		commit, err := c.repo.Commit(e.NewHash)
		if err != nil || e.NewHash == repo.Zero {
			continue
		}
		ok, err := sel.match(c, commit)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if sel.limit == 0 {
			break
		}
		if show, _ := sel.take(); !show {
			continue
		}
		f.noted = func() (selector, message string) { return fmt.Sprintf("%s@{%d}", name, i), e.Message }
		if err := f.write(c, commit, nil, shown == 0, i+1 == len(list) || sel.limit == 0); err != nil {
			return err
		}
		shown++
	}
	return nil
}
