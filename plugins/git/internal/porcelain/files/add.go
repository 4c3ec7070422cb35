package files

import (
	"fmt"
	"os"
	"strings"

	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func Add(c *cli.Call) error {
	o, err := c.Parse("A,all u,update f,force n,dry-run v,verbose p,patch N,intent-to-add ignore-errors chmod= i,interactive e,edit no-all ignore-removal renormalize refresh ignore-missing sparse no-warn-embedded-repo")
	if err != nil {
		return err
	}
	if o.Has("p") {
		return cli.Fatal("add --patch: there is no dialogue in this sandbox")
	}
	if len(o.Rest()) == 0 && !o.Has("A") && !o.Has("u") {
		fmt.Fprint(c.Stderr, "Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?\n"+
			"hint: Turn this message off by running\nhint: \"git config advice.addEmptyPathspec false\"\n")
		return nil
	}
	paths, outside := c.Repo.Paths(o.Rest())
	if outside != "" {
		return c.Outside(outside)
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	names, err := toAdd(c, x, paths, o.Rest(), o.Has("u"), o.Has("f"))
	if err != nil {
		return err
	}
	disk, err := x.OnDisk()
	if err != nil {
		return err
	}
	for _, ch := range change.Compare(x.Files, disk, paths) {
		if ch.Status == 'D' {
			if o.Has("n") || o.Has("v") {
				c.Printf("remove '%s'\n", ch.Old)
			}
			x.Remove(ch.Old)
			continue
		}
		names = append(names, ch.New)
	}
	for _, name := range x.Unmerged() {
		if _, err := os.Lstat(c.Repo.Path(name)); !paths.Match(name) {
			continue
		} else if err != nil {
			x.Remove(name)
			continue
		}
		names = append(names, name)
	}
	for _, name := range names {
		if o.Has("n") || o.Has("v") {
			c.Printf("add '%s'\n", name)
		}
		if o.Has("n") {
			continue
		}
		if err := x.Add(name); err != nil {
			return cli.Wrong("open(\"%s\"): %s", name, cli.Reason(err))
		}
	}
	if o.Has("n") {
		return nil
	}
	if mode := o.Arg("chmod"); mode != "" {
		if mode != "+x" && mode != "-x" {
			return cli.Fatal("--chmod param '%s' must be either -x or +x", mode)
		}
		for name, f := range x.Files {
			if !paths.Match(name) || change.Kind(f.Mode) != change.Kind(filemode.Regular) {
				continue
			}
			f.Mode = filemode.Regular
			if mode == "+x" {
				f.Mode = filemode.Executable
			}
			x.Files[name] = f
		}
	}
	return x.Save()
}

// toAdd returns the new files that the paths mean. One that means nothing, or only what is ignored,
// is an error.
func toAdd(c *cli.Call, x *repo.Index, paths repo.Paths, args []string, update, force bool) ([]string, error) {
	if update {
		return nil, known(c, x.Names(), paths, args)
	}
	others, err := x.Untracked(true)
	if err != nil {
		return nil, err
	}
	var names, ignored []string
	for _, name := range others {
		if paths.Match(name) && !strings.HasSuffix(name, "/") {
			names = append(names, name)
		}
	}
	all := append(x.Names(), others...)
	for i, p := range paths {
		info, err := os.Lstat(c.Repo.Path(p))
		switch {
		case cli.Matches(paths, i, all):
		case err != nil:
			return nil, cli.Fatal("pathspec '%s' did not match any files", args[i])
		case p == "." || !c.Repo.IsIgnored(p):
		case force && !info.IsDir():
			names = append(names, p)
		default:
			ignored = append(ignored, ignoredTop(c, p))
		}
	}
	if len(ignored) > 0 {
		return nil, &cli.Failure{Status: 1, Text: "The following paths are ignored by one of your .gitignore files:\n" + strings.Join(ignored, "\n") +
			"\nhint: Use -f if you really want to add them.\nhint: Turn this message off by running\nhint: \"git config advice.addIgnoredFile false\""}
	}
	return names, nil
}

// ignoredTop is the directory that a path is ignored with, or the path itself.
func ignoredTop(c *cli.Call, name string) string {
	for i := range name {
		if name[i] == '/' && c.Repo.IsIgnored(name[:i]) {
			return name[:i]
		}
	}
	return name
}

// known fails if one of the paths means none of the names.
func known(c *cli.Call, names []string, paths repo.Paths, args []string) error {
	for i := range paths {
		if !cli.Matches(paths, i, names) {
			return cli.Fatal("pathspec '%s' did not match any files", args[i])
		}
	}
	return nil
}
