package refs

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// An Upstream is what a branch follows. The zero value is nothing.
type Upstream struct {
	remote, merge string // as the configuration has them
	shown         string
}

// UpstreamOf returns what a new branch is to follow that starts from a revision: by itself a
// remote's branch, and with -t any branch.
func UpstreamOf(c *cli.Call, o *option.Result, from string) (u Upstream, err error) {
	last, _ := o.Last("t", "no-track")
	auto, _ := c.Setting("branch.autosetupmerge")
	if last == "no-track" || last == "" && auto == "false" {
		return u, nil
	}
	full := c.Repo.FullName(from)
	if rest, ok := strings.CutPrefix(full, "refs/remotes/"); ok {
		remote, branch, _ := strings.Cut(rest, "/")
		if _, known := c.Repo.Config.Get("remote." + remote + ".url"); known && branch != "" && branch != "HEAD" {
			return Upstream{remote, "refs/heads/" + branch, rest}, nil
		}
	}
	branch, isBranch := strings.CutPrefix(full, "refs/heads/")
	switch {
	case isBranch && from != "HEAD" && (last == "t" || auto == "always"):
		return Upstream{".", full, branch}, nil
	case last == "":
		return u, nil
	case !c.IsRevision(from):
		return u, noUpstream(from)
	}
	return u, cli.Fatal("cannot set up tracking information; starting point '%s' is not a branch", from)
}

// Set has a branch follow u, and says so unless silent.
func (u Upstream) Set(c *cli.Call, name string, silent bool) error {
	if u.remote == "" {
		return nil
	}
	for key, value := range map[string]string{"remote": u.remote, "merge": u.merge} {
		if _, err := c.Repo.Config.Set("branch."+name+"."+key, value, false, false); err != nil {
			return err
		}
	}
	if !silent {
		c.Printf("branch '%s' set up to track '%s'.\n", name, u.shown)
	}
	return nil
}

// setUpstream notes what a branch follows.
func setUpstream(c *cli.Call, o *option.Result, args []string) error {
	name := c.Repo.Branch()
	if len(args) > 0 {
		name = args[0]
	}
	if c.Repo.Ref("refs/heads/"+name) == repo.Zero {
		return cli.Fatal("branch '%s' does not exist", name)
	}
	if o.Has("unset-upstream") {
		was := false
		for _, key := range []string{"remote", "merge"} {
			had, err := c.Repo.Config.Set("branch."+name+"."+key, "", false, true)
			if err != nil {
				return err
			}
			was = was || had
		}
		if !was {
			return cli.Fatal("Branch '%s' has no upstream information", name)
		}
		return nil
	}
	up := o.Arg("u")
	u := Upstream{".", "refs/heads/" + up, up}
	switch {
	case c.Repo.Ref("refs/remotes/"+up) != repo.Zero:
		remote, branch, _ := strings.Cut(up, "/")
		u.remote, u.merge = remote, "refs/heads/"+branch
	case c.Repo.Ref("refs/heads/"+up) == repo.Zero:
		return noUpstream(up)
	}
	return u.Set(c, name, false)
}

func noUpstream(name string) error {
	return &cli.Failure{Status: 128, Text: fmt.Sprintf("fatal: the requested upstream branch '%s' does not exist\nhint: \nhint: If you are planning on basing your work on an upstream\n"+
		"hint: branch that already exists at the remote, you may need to\nhint: run \"git fetch\" to retrieve it.\nhint: \n"+
		"hint: If you are planning to push out a new local branch that\nhint: will track its remote counterpart, you may want to use\n"+
		"hint: \"git push -u\" to set the upstream config as you push.\nhint: Disable this message with \"git config advice.setUpstreamFailure false\"", name)}
}
