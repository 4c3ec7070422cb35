package porcelain

import (
	"fmt"
	"os"
	"strings"

	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func add(c *call) error {
	o, err := c.parse("A,all u,update f,force n,dry-run v,verbose p,patch N,intent-to-add ignore-errors chmod= i,interactive e,edit no-all ignore-removal renormalize refresh ignore-missing sparse no-warn-embedded-repo")
	if err != nil {
		return err
	}
	if o.Has("p") {
		return fatal("add --patch: there is no dialogue in this sandbox")
	}
	if len(o.Rest()) == 0 && !o.Has("A") && !o.Has("u") {
		fmt.Fprint(c.stderr, "Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?\n"+
			"hint: Turn this message off by running\nhint: \"git config advice.addEmptyPathspec false\"\n")
		return nil
	}
	paths, outside := c.repo.Paths(o.Rest())
	if outside != "" {
		return c.outside(outside)
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	names, err := c.toAdd(x, paths, o.Rest(), o.Has("u"), o.Has("f"))
	if err != nil {
		return err
	}
	disk, err := x.OnDisk()
	if err != nil {
		return err
	}
	for _, ch := range compare(x.Files, disk, paths) {
		if ch.status == 'D' {
			if o.Has("n") || o.Has("v") {
				c.printf("remove '%s'\n", ch.old)
			}
			x.Remove(ch.old)
			continue
		}
		names = append(names, ch.new)
	}
	for _, name := range x.Unmerged() {
		if _, err := os.Lstat(c.repo.Path(name)); !paths.Match(name) {
			continue
		} else if err != nil {
			x.Remove(name)
			continue
		}
		names = append(names, name)
	}
	for _, name := range names {
		if o.Has("n") || o.Has("v") {
			c.printf("add '%s'\n", name)
		}
		if o.Has("n") {
			continue
		}
		if err := x.Add(name); err != nil {
			return wrong("open(\"%s\"): %s", name, reason(err))
		}
	}
	if o.Has("n") {
		return nil
	}
	if mode := o.Arg("chmod"); mode != "" {
		if mode != "+x" && mode != "-x" {
			return fatal("--chmod param '%s' must be either -x or +x", mode)
		}
		for name, f := range x.Files {
			if !paths.Match(name) || kind(f.Mode) != kind(filemode.Regular) {
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

// toAdd returns the new files that the paths mean. One that means nothing, or only what is ignored, is an error.
func (c *call) toAdd(x *repo.Index, paths repo.Paths, args []string, update, force bool) ([]string, error) {
	if update {
		return nil, c.known(x.Names(), paths, args)
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
		info, err := os.Lstat(c.repo.Path(p))
		switch {
		case matches(paths, i, all):
		case err != nil:
			return nil, fatal("pathspec '%s' did not match any files", args[i])
		case p == "." || !c.repo.IsIgnored(p):
		case force && !info.IsDir():
			names = append(names, p)
		default:
			ignored = append(ignored, c.ignoredTop(p))
		}
	}
	if len(ignored) > 0 {
		return nil, &failure{1, "The following paths are ignored by one of your .gitignore files:\n" + strings.Join(ignored, "\n") +
			"\nhint: Use -f if you really want to add them.\nhint: Turn this message off by running\nhint: \"git config advice.addIgnoredFile false\""}
	}
	return names, nil
}

// ignoredTop is the directory that a path is ignored with, or the path itself.
func (c *call) ignoredTop(name string) string {
	for i := range name {
		if name[i] == '/' && c.repo.IsIgnored(name[:i]) {
			return name[:i]
		}
	}
	return name
}

func matches(paths repo.Paths, i int, names []string) bool {
	for _, name := range names {
		if paths.MatchOne(i, name) {
			return true
		}
	}
	return false
}

// known fails if one of the paths means none of the names.
func (c *call) known(names []string, paths repo.Paths, args []string) error {
	for i := range paths {
		if !matches(paths, i, names) {
			return fatal("pathspec '%s' did not match any files", args[i])
		}
	}
	return nil
}
