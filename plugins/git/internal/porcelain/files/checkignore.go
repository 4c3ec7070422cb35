package files

import (
	"bufio"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
)

// CheckIgnore prints which paths are ignored.
func CheckIgnore(c *cli.Call) error {
	o, err := c.Parse("q,quiet v,verbose n,non-matching stdin z no-index")
	if err != nil {
		return err
	}
	args := o.Rest()
	if o.Has("stdin") {
		in := bufio.NewScanner(c.Stdin)
		for in.Scan() {
			args = append(args, in.Text())
		}
	}
	if len(args) == 0 {
		return cli.Fatal("no path specified")
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	found := false
	for _, arg := range args {
		paths, outside := c.Repo.Paths([]string{arg})
		if outside != "" {
			return c.Outside(outside)
		}
		source, ignored := c.Repo.IgnoredBy(paths[0])
		ignored = ignored && (o.Has("no-index") || !x.Tracks(paths[0]))
		found = found || ignored
		switch {
		case o.Has("q"):
		case o.Has("v") && ignored:
			c.Printf("%s\t%s\n", source, arg)
		case o.Has("v") && o.Has("n"):
			c.Printf("::\t%s\n", arg)
		case ignored:
			c.Printf("%s\n", arg)
		}
	}
	if !found {
		return cli.Quiet(1)
	}
	return nil
}
