// Package setup has init, config and var.
package setup

import (
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const initHint = `hint: Using 'master' as the name for the initial branch. This default branch name
hint: is subject to change. To configure the initial branch name to use in all
hint: of your new repositories, which will suppress this warning, call:
hint: 
hint: 	git config --global init.defaultBranch <name>
hint: 
hint: Names commonly chosen instead of 'master' are 'main', 'trunk' and
hint: 'development'. The just-created branch can be renamed via this command:
hint: 
hint: 	git branch -m <name>
`

func Init(c *cli.Call) error {
	o, err := c.Parse("q,quiet bare b,initial-branch=")
	if err != nil {
		return err
	}
	top := "."
	if len(o.Operands) > 0 {
		top = o.Operands[0]
	}
	if top, err = filepath.Abs(top); err != nil {
		return err
	}
	dir, bare := filepath.Join(top, ".git"), ""
	if o.Has("bare") {
		dir, bare = top, "bare"
	}
	_, gone := os.Stat(filepath.Join(dir, "HEAD"))
	user, err := repo.ReadConfig("")
	if err != nil {
		return err
	}
	user.Override(c.Config)
	branch := o.Arg("b")
	if branch == "" {
		branch, _ = user.Get("init.defaultbranch")
	}
	if branch == "" {
		branch = "master"
		if gone != nil && !o.Has("q") {
			c.Stderr.Write([]byte(initHint))
		}
	}
	if !repo.ValidName(branch) {
		return cli.Fatal("invalid initial branch name: '%s'", branch)
	}
	if err := repo.Create(dir, branch, bare != ""); err != nil {
		return err
	}
	if o.Has("q") {
		return nil
	}
	state := "Initialized empty"
	if gone == nil {
		state = "Reinitialized existing"
	}
	c.Printf("%s Git repository in %s/\n", state, dir)
	return nil
}
