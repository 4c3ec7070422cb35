package remotes

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
)

// A remote is what the configuration knows of another repository, or what the command line says of
// it.
type remote struct {
	name         string // what it is called, "" if only its URL is known
	url, pushURL string
	fetch        []refspec
}

// remoteNamed returns the remote of a name, or one that has the name as its URL.
func remoteNamed(c *cli.Call, name string) remote {
	r := remote{name: name}
	for _, s := range c.Repo.Config.List(false, false) {
		switch s.Key {
		case "remote." + name + ".url":
			r.url = s.Value
		case "remote." + name + ".pushurl":
			r.pushURL = s.Value
		case "remote." + name + ".fetch":
			r.fetch = append(r.fetch, parseRefspec(s.Value))
		}
	}
	if r.url == "" {
		return remote{url: name, pushURL: name}
	}
	if r.pushURL == "" {
		r.pushURL = r.url
	}
	return r
}

// names returns what remotes are called, in the configuration's order.
func names(c *cli.Call) (out []string) {
	for _, s := range c.Repo.Config.List(false, false) {
		name, ok := strings.CutPrefix(s.Key, "remote.")
		if name, isURL := strings.CutSuffix(name, ".url"); ok && isURL {
			out = append(out, name)
		}
	}
	return out
}

// usual returns the remote of a branch: its own, the only one, or origin.
func usual(c *cli.Call, branch string) string {
	if name, ok := c.Repo.Config.Get("branch." + branch + ".remote"); ok && branch != "" {
		return name
	}
	if all := names(c); len(all) == 1 {
		return all[0]
	}
	return "origin"
}

// shown is how a URL is told, without what is at the end of most.
func shown(url string) string {
	url = strings.TrimRight(url, "/")
	if s, ok := strings.CutSuffix(url, ".git"); ok && len(s) > 0 {
		url = s
	}
	return withoutPassword(url)
}

// withoutPassword is a URL without who asks.
func withoutPassword(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); ok && i >= 0 {
		return scheme + "://" + host[i+1:] + "/" + path
	}
	return url
}

// follow makes a branch follow a remote's, and says so unless silent.
func follow(c *cli.Call, branch, name, merge string, silent bool) error {
	if _, err := c.Repo.Config.Set("branch."+branch+".remote", name, false, false); err != nil {
		return err
	}
	if _, err := c.Repo.Config.Set("branch."+branch+".merge", merge, false, false); err != nil {
		return err
	}
	if !silent {
		c.Printf("branch '%s' set up to track '%s/%s'.\n", branch, name, short(merge))
	}
	return nil
}
