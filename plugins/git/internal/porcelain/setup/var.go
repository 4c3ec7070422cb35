package setup

import (
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
)

// Var prints one of the values that git works with.
func Var(c *cli.Call) error {
	if len(c.Args) != 1 {
		return &cli.Failure{Status: 129, Text: "usage: git var (-l | <variable>)"}
	}
	role, ok := map[string]string{"GIT_AUTHOR_IDENT": "AUTHOR", "GIT_COMMITTER_IDENT": "COMMITTER"}[c.Args[0]]
	if !ok {
		return &cli.Failure{Status: 129, Text: "usage: git var (-l | <variable>)"}
	}
	who, err := c.Repo.Identity(role)
	if err != nil {
		return cli.Fatal("%v", err)
	}
	c.Printf("%s <%s> %d %s\n", who.Name, who.Email, who.When.Unix(), who.When.Format("-0700"))
	return nil
}
