package history

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A decoration is a name that a commit has.
type decoration struct{ color, name string }

// decorates reports whether commits are shown with their names: where a person reads, unless
// options or log.decorate say otherwise.
func decorates(c *cli.Call, o *option.Result) bool {
	when := "auto"
	if value, ok := c.Setting("log.decorate"); ok {
		when = value
	}
	switch last, arg := o.Last("decorate", "no-decorate"); last {
	case "decorate":
		if when = arg; arg == "" {
			when = "short"
		}
	case "no-decorate":
		when = "no"
	}
	switch strings.ToLower(when) {
	case "auto":
		return c.Cols > 0
	case "no", "false", "off", "0":
		return false
	}
	return true
}

// decorations returns the names of each commit that has some.
func decorations(c *cli.Call) (map[plumbing.Hash][]decoration, error) {
	names := map[plumbing.Hash][]decoration{}
	if h := c.Repo.Head(); h != repo.Zero {
		names[h] = []decoration{{cli.HeadColor, "HEAD"}}
		if b := c.Repo.Branch(); b != "" {
			names[h] = []decoration{{cli.HeadColor, "HEAD -> "}, {cli.BranchColor, b}}
		}
	}
	for _, kind := range []struct{ prefix, title, color string }{
		{"refs/tags/", "tag: ", cli.TagColor}, {"refs/remotes/", "", cli.RemoteColor}, {"refs/heads/", "", cli.BranchColor},
	} {
		refs, err := c.Repo.Refs(kind.prefix)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Backward(refs) { // as git has them
			if kind.prefix == "refs/heads/" && name == c.Repo.Branch() {
				continue
			}
			if commit, err := c.Repo.ResolveCommit(kind.prefix + name); err == nil {
				names[commit.Hash] = append(names[commit.Hash], decoration{kind.color, kind.title + name})
			}
		}
	}
	shallow, err := c.Repo.Shallow()
	for h := range shallow {
		names[h] = slices.Insert(names[h], 0, decoration{cli.GraftColor, "grafted"})
	}
	return names, err
}

// whole makes the names of decorations those of whole references: --decorate=full.
func whole(names map[plumbing.Hash][]decoration) {
	for _, list := range names {
		for i, d := range list {
			switch {
			case d.color == cli.BranchColor:
				list[i].name = "refs/heads/" + d.name
			case d.color == cli.RemoteColor:
				list[i].name = "refs/remotes/" + d.name
			case d.color == cli.TagColor:
				list[i].name = "tag: refs/tags/" + strings.TrimPrefix(d.name, "tag: ")
			}
		}
	}
}

// decorated lists names between what opens and closes the list; it is empty without any.
func decorated(paint cli.Palette, names []decoration, open, end string) string {
	if len(names) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(paint(cli.CommitColor, open))
	for i, d := range names {
		if i > 0 && !strings.HasSuffix(names[i-1].name, "-> ") {
			b.WriteString(paint(cli.CommitColor, ", "))
		}
		b.WriteString(paint(d.color, d.name))
	}
	b.WriteString(paint(cli.CommitColor, end))
	return b.String()
}
