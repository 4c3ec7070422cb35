package remotes

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// LsRemote lists the references of another repository.
func LsRemote(c *cli.Call) error {
	o, err := c.Parse("h,heads t,tags refs q,quiet exit-code get-url symref")
	if err != nil {
		return err
	}
	args := o.Rest()
	url := ""
	switch {
	case len(args) > 0 && c.Repo == nil:
		url = args[0]
	case len(args) > 0:
		url = remoteNamed(c, args[0]).url
	case c.Repo == nil || len(names(c)) == 0:
		return cli.Fatal("No remote configured to list refs from.")
	default:
		url = remoteNamed(c, usual(c, c.Repo.Branch())).url
	}
	if o.Has("get-url") {
		c.Printf("%s\n", url)
		return nil
	}
	end, err := open(c, url)
	if err != nil {
		return err
	}
	there, err := end.advertised(false)
	if err != nil {
		return err
	}
	if len(args) == 0 && !o.Has("q") {
		fmt.Fprintf(c.Stderr, "From %s\n", withoutPassword(url))
	}
	found := false
	for _, r := range there.refs {
		heads, tags := strings.HasPrefix(r.name, "refs/heads/"), strings.HasPrefix(r.name, "refs/tags/")
		if (o.Has("h") || o.Has("t")) && !(o.Has("h") && heads || o.Has("t") && tags) || o.Has("refs") && r.name == "HEAD" {
			continue
		}
		if len(args) > 1 && !matchesTail(args[1:], r.name) {
			continue
		}
		found = true
		if o.Has("symref") && r.name == "HEAD" && there.head != "" {
			c.Printf("ref: %s\tHEAD\n", there.head)
		}
		c.Printf("%s\t%s\n", r.h, r.name)
		if r.peeled != repo.Zero && !o.Has("refs") && len(args) < 2 {
			c.Printf("%s\t%s^{}\n", r.peeled, r.name)
		}
	}
	if !found && o.Has("exit-code") {
		return cli.Quiet(2)
	}
	return nil
}

// matchesTail reports whether a pattern is the end of a name, from one of its slashes on.
func matchesTail(patterns []string, name string) bool {
	for _, p := range patterns {
		if repo.Wild("*/"+p, "/"+name) {
			return true
		}
	}
	return false
}
