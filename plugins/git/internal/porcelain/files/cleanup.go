package files

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// CleanCommand removes files that are not in the index.
func CleanCommand(c *cli.Call) error {
	o, err := c.Parse("n,dry-run f,force d q,quiet x X e,exclude= i,interactive")
	if err != nil {
		return err
	}
	if o.Has("i") {
		return cli.Fatal("clean --interactive: there is no dialogue in this sandbox")
	}
	required, _ := c.Setting("clean.requireforce")
	switch {
	case !o.Has("f") && !o.Has("n") && required != "false":
		return cli.Fatal("clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean")
	case o.Has("x") && o.Has("X"):
		return cli.Fatal("options '-x' and '-X' cannot be used together")
	}
	paths, outside := c.Repo.Paths(o.Rest())
	if outside != "" {
		return c.Outside(outside)
	}
	if len(paths) == 0 && c.Repo.Prefix != "" {
		paths = repo.Paths{strings.TrimSuffix(c.Repo.Prefix, "/")}
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	names, err := toClean(c, x, o, paths)
	if err != nil {
		return err
	}
	if c.Repo.Prefix != "" && o.Has("d") {
		refuse(c, x, o)
	}
	for _, name := range names {
		if err := cleanOne(c, o, name); err != nil {
			return err
		}
	}
	return nil
}

// toClean returns the files and directories to remove; those of directories end in "/".
func toClean(c *cli.Call, x *repo.Index, o *option.Result, paths repo.Paths) (out []string, err error) {
	var names []string
	if !o.Has("X") {
		if names, err = x.Untracked(false); err != nil {
			return nil, err
		}
	}
	if o.Has("x") || o.Has("X") {
		ignored, err := x.Ignored(false)
		if err != nil {
			return nil, err
		}
		names = append(names, ignored...)
	}
	slices.Sort(names)
	for _, name := range names {
		dir := strings.HasSuffix(name, "/")
		switch {
		case excluded(o.All("e"), name):
		case len(o.Rest()) > 0 && !paths.Match(name) && !(dir && paths.Reaches(strings.TrimSuffix(name, "/"))):
		case len(o.Rest()) == 0 && !paths.Match(name):
		case dir && !paths.Match(name):
			out = append(out, below(c, name, paths)...)
		case dir && !o.Has("d") && !(len(o.Rest()) > 0 && paths.Names(strings.TrimSuffix(name, "/"))):
		case dir && holds(c, x, o, name), strings.HasPrefix(c.Repo.Prefix, name):
			out = append(out, below(c, name, nil)...)
		default:
			out = append(out, name)
		}
	}
	return out, nil
}

func excluded(patterns []string, name string) bool {
	for _, p := range patterns {
		if repo.Wild(p, name) || repo.Wild(p, path.Base(name)) {
			return true
		}
	}
	return false
}

// holds reports whether a directory has something that stays, for it is ignored.
func holds(c *cli.Call, x *repo.Index, o *option.Result, dir string) bool {
	if o.Has("x") || o.Has("X") {
		return false
	}
	ignored, err := x.Ignored(true)
	return err == nil && slices.ContainsFunc(ignored, func(name string) bool { return strings.HasPrefix(name, dir) })
}

// below returns the files of a directory that are not ignored and that the paths mean.
func below(c *cli.Call, dir string, paths repo.Paths) (out []string) {
	entries, err := os.ReadDir(c.Repo.Path(dir))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := dir + e.Name()
		switch {
		case e.IsDir():
			out = append(out, below(c, name+"/", paths)...)
		case paths.Match(name) && !c.Repo.IsIgnored(name):
			out = append(out, name)
		}
	}
	return out
}

// refuse tells that the current directory stays, if nothing in it is in the index.
func refuse(c *cli.Call, x *repo.Index, o *option.Result) {
	if x.Files.HasDir(strings.TrimSuffix(c.Repo.Prefix, "/")) {
		return
	}
	verb := "Refusing"
	if o.Has("n") {
		verb = "Would refuse"
	}
	c.Printf("%s to remove current working directory\n", verb)
}

func cleanOne(c *cli.Call, o *option.Result, name string) error {
	verb := "Removing"
	if o.Has("n") {
		verb = "Would remove"
	}
	p := c.Repo.Path(name)
	if strings.HasSuffix(name, "/") && len(o.All("f")) < 2 {
		if _, err := os.Stat(c.Repo.Path(name + ".git")); err == nil {
			if verb == "Removing" {
				verb = "Skipping"
			} else {
				verb = "Would skip"
			}
			if o.Has("q") {
				return nil
			}
			c.Printf("%s repository %s\n", verb, strings.TrimSuffix(c.Show(name), "/"))
			return nil
		}
	}
	if strings.HasSuffix(name, "/") && len(o.All("f")) < 2 && checkout.Nested(p) {
		entries, err := os.ReadDir(p)
		if err != nil {
			return err
		}
		for _, e := range entries {
			inner := name + e.Name()
			if e.IsDir() {
				inner += "/"
			}
			if err := cleanOne(c, o, inner); err != nil {
				return err
			}
		}
		return nil
	}
	if !o.Has("q") {
		shown := c.Show(name)
		if c.Repo.Prefix != "" && strings.HasPrefix(name, c.Repo.Prefix) && len(o.Rest()) > 0 {
			shown = "./" + shown
		}
		c.Printf("%s %s\n", verb, shown)
	}
	if o.Has("n") {
		return nil
	}
	if err := os.RemoveAll(p); err != nil {
		return cli.Fatal("failed to remove %s: %s", c.Show(name), cli.Reason(err))
	}
	return nil
}
