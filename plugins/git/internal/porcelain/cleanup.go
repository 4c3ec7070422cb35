package porcelain

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// cleanCommand removes files that are not in the index.
func cleanCommand(c *call) error {
	o, err := c.parse("n,dry-run f,force d q,quiet x X e,exclude= i,interactive")
	if err != nil {
		return err
	}
	if o.Has("i") {
		return fatal("clean --interactive: there is no dialogue in this sandbox")
	}
	required, _ := c.setting("clean.requireforce")
	switch {
	case !o.Has("f") && !o.Has("n") && required != "false":
		return fatal("clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean")
	case o.Has("x") && o.Has("X"):
		return fatal("options '-x' and '-X' cannot be used together")
	}
	paths, outside := c.repo.Paths(o.Rest())
	if outside != "" {
		return c.outside(outside)
	}
	if len(paths) == 0 && c.repo.Prefix != "" {
		paths = repo.Paths{strings.TrimSuffix(c.repo.Prefix, "/")}
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	names, err := c.toClean(x, o, paths)
	if err != nil {
		return err
	}
	if c.repo.Prefix != "" && o.Has("d") {
		c.refuse(x, o)
	}
	for _, name := range names {
		if err := c.cleanOne(o, name); err != nil {
			return err
		}
	}
	return nil
}

// toClean returns the files and directories to remove; those of directories end in "/".
func (c *call) toClean(x *repo.Index, o *option.Result, paths repo.Paths) (out []string, err error) {
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
			out = append(out, c.below(name, paths)...)
		case dir && !o.Has("d") && !(len(o.Rest()) > 0 && paths.Names(strings.TrimSuffix(name, "/"))):
		case dir && c.holds(x, o, name), strings.HasPrefix(c.repo.Prefix, name):
			out = append(out, c.below(name, nil)...)
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
func (c *call) holds(x *repo.Index, o *option.Result, dir string) bool {
	if o.Has("x") || o.Has("X") {
		return false
	}
	ignored, err := x.Ignored(true)
	return err == nil && slices.ContainsFunc(ignored, func(name string) bool { return strings.HasPrefix(name, dir) })
}

// below returns the files of a directory that are not ignored and that the paths mean.
func (c *call) below(dir string, paths repo.Paths) (out []string) {
	entries, err := os.ReadDir(c.repo.Path(dir))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := dir + e.Name()
		switch {
		case e.IsDir():
			out = append(out, c.below(name+"/", paths)...)
		case paths.Match(name) && !c.repo.IsIgnored(name):
			out = append(out, name)
		}
	}
	return out
}

// nested reports whether there is another repository somewhere below a directory.
func nested(dir string) bool {
	found := false
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == ".git" {
			found = true
		}
		if found {
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

// refuse tells that the current directory stays, if nothing in it is in the index.
func (c *call) refuse(x *repo.Index, o *option.Result) {
	if x.Files.HasDir(strings.TrimSuffix(c.repo.Prefix, "/")) {
		return
	}
	verb := "Refusing"
	if o.Has("n") {
		verb = "Would refuse"
	}
	c.printf("%s to remove current working directory\n", verb)
}

func (c *call) cleanOne(o *option.Result, name string) error {
	verb := "Removing"
	if o.Has("n") {
		verb = "Would remove"
	}
	p := c.repo.Path(name)
	if strings.HasSuffix(name, "/") && len(o.All("f")) < 2 {
		if _, err := os.Stat(c.repo.Path(name + ".git")); err == nil {
			if verb == "Removing" {
				verb = "Skipping"
			} else {
				verb = "Would skip"
			}
			if o.Has("q") {
				return nil
			}
			c.printf("%s repository %s\n", verb, strings.TrimSuffix(c.show(name), "/"))
			return nil
		}
	}
	if strings.HasSuffix(name, "/") && len(o.All("f")) < 2 && nested(p) {
		entries, err := os.ReadDir(p)
		if err != nil {
			return err
		}
		for _, e := range entries {
			inner := name + e.Name()
			if e.IsDir() {
				inner += "/"
			}
			if err := c.cleanOne(o, inner); err != nil {
				return err
			}
		}
		return nil
	}
	if !o.Has("q") {
		shown := c.show(name)
		if c.repo.Prefix != "" && strings.HasPrefix(name, c.repo.Prefix) && len(o.Rest()) > 0 {
			shown = "./" + shown
		}
		c.printf("%s %s\n", verb, shown)
	}
	if o.Has("n") {
		return nil
	}
	if err := os.RemoveAll(p); err != nil {
		return fatal("failed to remove %s: %s", c.show(name), reason(err))
	}
	return nil
}
