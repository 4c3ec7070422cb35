// Package remotes has what is about other repositories: clone and remote.
package remotes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// Clone copies a repository that is a directory here.
func Clone(c *cli.Call) error {
	o, err := c.Parse("q,quiet b,branch= l,local no-hardlinks depth= single-branch no-checkout no-tags")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) == 0 {
		return &cli.Failure{Status: 129, Text: "fatal: You must specify a repository to clone.\n\nusage: " + c.Usage}
	}
	source := strings.TrimPrefix(args[0], "file://")
	if strings.Contains(source, "://") || strings.Contains(source, "@") && strings.Contains(source, ":") {
		return cli.Fatal("%s: there is no network in this sandbox: clone from a path", args[0])
	}
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(strings.TrimSuffix(source, "/.git")), ".git"), "/")
	if len(args) > 1 {
		name = args[1]
	}
	if source, err = filepath.Abs(source); err != nil {
		return err
	}
	from, err := repo.Open(source, filepath.Join(source, ".git"), "")
	if _, gone := os.Stat(filepath.Join(source, ".git", "HEAD")); gone != nil {
		if _, gone := os.Stat(filepath.Join(source, "HEAD")); gone != nil {
			return cli.Fatal("repository '%s' does not exist", args[0])
		}
		from, err = repo.Open("", source, "")
	}
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(name); err == nil && len(entries) > 0 {
		return cli.Fatal("destination path '%s' already exists and is not an empty directory.", name)
	}
	if !o.Has("q") {
		fmt.Fprintf(c.Stderr, "Cloning into '%s'...\n", name)
	}
	top, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	return copy(c, from, source, top, o)
}

// copy makes the clone in top.
func copy(c *cli.Call, from *repo.Repo, source, top string, o *option.Result) error {
	branch := from.Branch()
	if o.Has("b") {
		branch = o.Arg("b")
		if from.Ref("refs/heads/"+branch) == repo.Zero {
			return cli.Fatal("Remote branch %s not found in upstream origin", branch)
		}
	}
	dir := filepath.Join(top, ".git")
	if err := repo.Create(dir, branch, false); err != nil {
		return err
	}
	if err := repo.CopyObjects(dir, from.Dir); err != nil {
		return err
	}
	r, err := repo.Open(top, dir, "")
	if err != nil {
		return err
	}
	c.Repo = r
	for _, kind := range []struct{ from, to string }{{"refs/heads/", "refs/remotes/origin/"}, {"refs/tags/", "refs/tags/"}} {
		names, err := from.Refs(kind.from)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := r.SetRef(kind.to+name, from.Ref(kind.from+name)); err != nil {
				return err
			}
		}
	}
	for _, s := range []repo.Setting{{Key: "remote.origin.url", Value: source}, {Key: "remote.origin.fetch", Value: "+refs/heads/*:refs/remotes/origin/*"}} {
		if _, err := r.Config.Set(s.Key, s.Value, false, false); err != nil {
			return err
		}
	}
	h := from.Ref("refs/heads/" + branch)
	if branch == "" {
		h = from.Head()
	}
	if h == repo.Zero {
		fmt.Fprintln(c.Stderr, "warning: You appear to have cloned an empty repository.")
		return nil
	}
	if err := checkout.Move(c, h, "checkout", true); err != nil {
		return err
	}
	if !o.Has("q") {
		fmt.Fprintln(c.Stderr, "done.")
	}
	if branch == "" {
		return errors.Join(r.Detach(h), r.LogHead(repo.Zero, "clone: from "+source))
	}
	if err := r.SetTarget("refs/remotes/origin/HEAD", "refs/remotes/origin/"+branch); err != nil {
		return err
	}
	return errors.Join(checkout.Track(c, branch), r.LogHead(repo.Zero, "clone: from "+source))
}

func Remote(c *cli.Call) error {
	o, err := c.Parse("v,verbose")
	if err != nil {
		return err
	}
	if len(o.Operands) > 0 && !(len(o.Operands) == 1 && o.Operands[0] == "show") {
		return changeRemote(c, o.Operands)
	}
	var lines []string
	for _, s := range c.Repo.Config.List(false, false) {
		name, ok := strings.CutPrefix(s.Key, "remote.")
		if name, isURL := strings.CutSuffix(name, ".url"); ok && isURL {
			if !o.Has("v") {
				lines = append(lines, name)
				continue
			}
			lines = append(lines, name+"\t"+s.Value+" (fetch)", name+"\t"+s.Value+" (push)")
		}
	}
	slices.Sort(lines)
	for _, l := range lines {
		c.Printf("%s\n", l)
	}
	return nil
}

func changeRemote(c *cli.Call, args []string) error {
	name := ""
	if len(args) > 1 {
		name = args[1]
	}
	_, exists := c.Repo.Config.Get("remote." + name + ".url")
	missing := &cli.Failure{Status: 2, Text: "error: No such remote '" + name + "'"}
	switch {
	case args[0] == "add" && len(args) == 3:
		if exists {
			return &cli.Failure{Status: 3, Text: "error: remote " + name + " already exists."}
		}
		if _, err := c.Repo.Config.Set("remote."+name+".url", args[2], false, false); err != nil {
			return err
		}
		_, err := c.Repo.Config.Set("remote."+name+".fetch", "+refs/heads/*:refs/remotes/"+name+"/*", false, false)
		return err
	case args[0] == "get-url" && len(args) == 2:
		if !exists {
			return missing
		}
		url, _ := c.Repo.Config.Get("remote." + name + ".url")
		c.Printf("%s\n", url)
		return nil
	case args[0] == "set-url" && len(args) == 3:
		if !exists {
			return missing
		}
		_, err := c.Repo.Config.Set("remote."+name+".url", args[2], false, false)
		return err
	}
	switch {
	case (args[0] == "remove" || args[0] == "rm") && len(args) == 2:
		if !exists {
			return missing
		}
		return dropRemote(c, name, "")
	case args[0] == "rename" && len(args) == 3:
		if !exists {
			return missing
		}
		return dropRemote(c, name, args[2])
	}
	return cli.Fatal("remote %s: not supported in this sandbox", args[0])
}

// dropRemote removes a remote and what is known of its branches, or renames them.
func dropRemote(c *cli.Call, name, to string) error {
	for _, s := range c.Repo.Config.List(false, true) {
		key, ok := strings.CutPrefix(s.Key, "remote."+name+".")
		if !ok {
			if strings.HasPrefix(s.Key, "branch.") && strings.HasSuffix(s.Key, ".remote") && s.Value == name {
				merge := strings.TrimSuffix(s.Key, ".remote") + ".merge"
				if to != "" {
					_, err := c.Repo.Config.Set(s.Key, to, false, false)
					if err != nil {
						return err
					}
					continue
				}
				for _, k := range []string{s.Key, merge} {
					if _, err := c.Repo.Config.Set(k, "", false, true); err != nil {
						return err
					}
				}
			}
			continue
		}
		if _, err := c.Repo.Config.Set(s.Key, "", false, true); err != nil {
			return err
		}
		if to == "" {
			continue
		}
		value := strings.ReplaceAll(s.Value, "refs/remotes/"+name+"/", "refs/remotes/"+to+"/")
		if _, err := c.Repo.Config.Set("remote."+to+"."+key, value, false, false); err != nil {
			return err
		}
	}
	refs, err := c.Repo.Refs("refs/remotes/" + name + "/")
	for _, ref := range refs {
		old := "refs/remotes/" + name + "/" + ref
		if h := c.Repo.Ref(old); to != "" && h != repo.Zero {
			err = errors.Join(err, c.Repo.SetRef("refs/remotes/"+to+"/"+ref, h))
		}
		err = errors.Join(err, c.Repo.RemoveRef(old))
	}
	return err
}
