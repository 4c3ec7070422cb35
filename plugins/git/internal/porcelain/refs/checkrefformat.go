package refs

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// CheckRefFormat tells whether a reference may be called so.
func CheckRefFormat(c *cli.Call) error {
	o, err := c.Parse("branch normalize allow-onelevel no-allow-onelevel refspec-pattern")
	if err != nil {
		return err
	}
	if len(o.Rest()) != 1 {
		return &cli.Failure{Status: 129, Text: "usage: git check-ref-format [--normalize] [<options>] <refname>"}
	}
	name := o.Rest()[0]
	if o.Has("branch") {
		if name = branchName(c, name); !repo.ValidName(name) {
			return cli.Fatal("'%s' is not a valid branch name", o.Rest()[0])
		}
		c.Printf("%s\n", name)
		return nil
	}
	if o.Has("normalize") {
		name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '/' }), "/")
		if strings.HasSuffix(o.Rest()[0], "/") {
			name += "/" // which makes it wrong
		}
	}
	if !repo.ValidName(name) || !o.Has("allow-onelevel") && !strings.Contains(name, "/") {
		return cli.Quiet(1)
	}
	if o.Has("normalize") {
		c.Printf("%s\n", name)
	}
	return nil
}

func branchName(c *cli.Call, name string) string {
	if c.Repo == nil {
		return name
	}
	return c.Prior(name)
}
