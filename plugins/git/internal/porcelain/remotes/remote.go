package remotes

import (
	"errors"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// Remote lists, shows and changes the other repositories that the configuration knows.
func Remote(c *cli.Call) error {
	o, err := c.Parse("v,verbose push all f,fetch n")
	if err != nil {
		return err
	}
	args := o.Operands
	switch {
	case len(args) == 0, len(args) == 1 && args[0] == "show":
		listRemotes(c, o.Has("v"))
		return nil
	case args[0] == "show":
		return showRemotes(c, args[1:])
	case args[0] == "update":
		next := c.In(c.Repo)
		next.Name, next.Args = "fetch", append([]string{"--multiple"}, args[1:]...)
		if len(args) == 1 {
			next.Args = []string{"--all"}
		}
		return Fetch(next)
	}
	if err := changeRemote(c, o, args); err != nil || args[0] != "add" || !o.Has("f") {
		return err
	}
	next := c.In(c.Repo)
	next.Name, next.Args = "fetch", []string{args[1]}
	c.Printf("Updating %s\n", args[1])
	return Fetch(next)
}

func listRemotes(c *cli.Call, long bool) {
	list := names(c)
	slices.Sort(list)
	for _, name := range list {
		if !long {
			c.Printf("%s\n", name)
			continue
		}
		r := remoteNamed(c, name)
		c.Printf("%s\t%s (fetch)\n%s\t%s (push)\n", name, r.url, name, r.pushURL)
	}
}

// showRemotes asks each remote what it has, and tells what follows it.
func showRemotes(c *cli.Call, list []string) error {
	for _, name := range list {
		r := remoteNamed(c, name)
		end, err := open(c, r.url)
		if err != nil {
			return err
		}
		there, err := end.advertised(false)
		if err != nil {
			return err
		}
		head := "(unknown)"
		if there.head != "" {
			head = short(there.head)
		}
		c.Printf("* remote %s\n  Fetch URL: %s\n  Push  URL: %s\n  HEAD branch: %s\n", name, withoutPassword(r.url), withoutPassword(r.pushURL), head)
		showBranches(c, r, there)
	}
	return nil
}

// showBranches tells which branches a remote has and which here follow them.
func showBranches(c *cli.Call, r remote, there *advertisement) {
	var lines [3][][2]string
	for _, a := range there.refs {
		if name, ok := strings.CutPrefix(a.name, "refs/heads/"); ok {
			state := "tracked"
			if c.Repo.Ref("refs/remotes/"+r.name+"/"+name) == repo.Zero {
				state = "new (next fetch will store in remotes/" + r.name + ")"
			}
			lines[0] = append(lines[0], [2]string{name, state})
		}
	}
	branches, _ := c.Repo.Refs("refs/heads/")
	for _, b := range branches {
		from, _ := c.Repo.Config.Get("branch." + b + ".remote")
		merge, _ := c.Repo.Config.Get("branch." + b + ".merge")
		if from == r.name && merge != "" {
			lines[1] = append(lines[1], [2]string{b, "merges with remote " + short(merge)})
		}
		if a, ok := there.find("refs/heads/" + b); ok {
			state := "local out of date"
			h := c.Repo.Ref("refs/heads/" + b)
			if ahead, err := c.Repo.IsAncestor(a.h, h); a.h == h {
				state = "up to date"
			} else if err == nil && ahead {
				state = "fast-forwardable"
			}
			lines[2] = append(lines[2], [2]string{b, "pushes to " + b + " (" + state + ")"})
		}
	}
	for i, title := range [][2]string{{"Remote branch", "es"}, {"Local branch", "es"}, {"Local ref", "s"}} {
		if len(lines[i]) == 0 {
			continue
		}
		head, width := title[0], 0
		if len(lines[i]) > 1 {
			head += title[1]
		}
		for _, l := range lines[i] {
			width = max(width, len(l[0]))
		}
		c.Printf("  %s%s:\n", head, []string{"", " configured for 'git pull'", " configured for 'git push'"}[i])
		for _, l := range lines[i] {
			c.Printf("    %-*s %s\n", width, l[0], l[1])
		}
	}
}

// changeRemote adds, changes, removes or names a remote.
func changeRemote(c *cli.Call, o *option.Result, args []string) error {
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
		r := remoteNamed(c, name)
		if o.Has("push") {
			r.url = r.pushURL
		}
		c.Printf("%s\n", r.url)
		return nil
	case args[0] == "set-url" && len(args) == 3:
		if !exists {
			return missing
		}
		key := ".url"
		if o.Has("push") {
			key = ".pushurl"
		}
		_, err := c.Repo.Config.Set("remote."+name+key, args[2], false, false)
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
