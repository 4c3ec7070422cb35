package history

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func Reflog(c *cli.Call) error {
	verb := "show"
	if len(c.Args) > 0 && !strings.HasPrefix(c.Args[0], "-") {
		switch c.Args[0] {
		case "show", "exists", "delete", "expire":
			verb, c.Args = c.Args[0], c.Args[1:]
		}
	}
	switch verb {
	case "exists":
		if len(c.Args) != 1 {
			return &cli.Failure{Status: 129, Text: "usage: git reflog exists <ref>"}
		}
		list, err := c.Repo.Reflog(c.Args[0])
		if err == nil && len(list) == 0 {
			return cli.Quiet(1)
		}
		return err
	case "delete", "expire":
		return cli.Fatal("reflog %s is not supported in this sandbox", verb)
	}
	o, err := c.Parse(logOptions + change.Options)
	if err != nil {
		return err
	}
	return logReflog(c, o, o.Rest())
}

// logReflog shows where a reference was, the last first.
func logReflog(c *cli.Call, o *option.Result, revisions []string) error {
	name := "HEAD"
	if len(revisions) > 0 {
		name = revisions[0]
	}
	full := c.Repo.FullName(name)
	if full == "" {
		return cli.Ambiguous(name)
	}
	if name == "" || name == "@" {
		name = "HEAD"
	}
	list, err := c.Repo.Reflog(full)
	if err != nil {
		return err
	}
	f, sel, err := logOutput(c, o, &span{})
	if err != nil {
		return err
	}
	if c.Name == "reflog" && !o.Has("format") && !o.Has("pretty") {
		f.name, f.short = "oneline", true
	}
	shown := 0
	for i, e := range list {
		commit, err := c.Repo.Commit(e.NewHash)
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
