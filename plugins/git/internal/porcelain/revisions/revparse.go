// Package revisions has rev-parse and merge-base: what names of commits mean.
package revisions

import (
	"errors"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func RevParse(c *cli.Call) error {
	if c.Repo == nil {
		return cli.Fatal("%v", repo.ErrNone)
	}
	short, verify, silent, name, full := 0, false, false, false, false
	for _, a := range c.Args {
		switch {
		case a == "--verify":
			verify = true
		case a == "-q" || a == "--quiet":
			silent = true
		case a == "--short":
			short = 7
		case strings.HasPrefix(a, "--short="):
			n, err := strconv.Atoi(a[len("--short="):])
			if err != nil || n < 0 {
				return cli.Fatal("'%s': not a length", a)
			}
			short = min(max(n, 4), 40)
		case a == "--abbrev-ref":
			name = true
		case a == "--symbolic-full-name":
			full = true
		case a == "--all" || a == "--branches" || a == "--tags" || a == "--remotes":
			prefix := map[string]string{"--all": "refs/", "--branches": "refs/heads/", "--tags": "refs/tags/", "--remotes": "refs/remotes/"}[a]
			refs, err := c.Repo.Refs(prefix)
			if err != nil {
				return err
			}
			for _, ref := range refs {
				c.Printf("%s\n", c.Repo.Ref(prefix+ref))
			}
		case full && !strings.HasPrefix(a, "-"):
			ref := c.Repo.FullName(a)
			if b := c.Repo.Branch(); (a == "HEAD" || a == "@") && b != "" {
				ref = "refs/heads/" + b
			}
			if ref == "" && !c.IsRevision(a) {
				return cli.Ambiguous(a)
			}
			if ref != "" {
				c.Printf("%s\n", ref)
			}
		case a == "--show-toplevel" && c.Repo.Top == "":
			return cli.Fatal("this operation must be run in a work tree")
		case a == "--show-toplevel":
			c.Printf("%s\n", c.Repo.Top)
		case a == "--git-dir" && c.Repo.Prefix == "" && c.Repo.Top != "" && c.Repo.Common == c.Repo.Dir:
			c.Printf(".git\n")
		case a == "--git-dir" || a == "--absolute-git-dir":
			c.Printf("%s\n", c.Repo.Dir)
		case a == "--is-inside-work-tree":
			c.Printf("%v\n", c.Repo.Top != "")
		case a == "--git-common-dir" && c.Repo.Prefix == "" && c.Repo.Top != "" && c.Repo.Common == c.Repo.Dir:
			c.Printf(".git\n")
		case a == "--git-common-dir":
			c.Printf("%s\n", c.Repo.Common)
		case strings.HasPrefix(a, "--git-path"):
			return cli.Fatal("rev-parse --git-path is not supported in this sandbox")
		case a == "--is-inside-git-dir":
			c.Printf("false\n")
		case a == "--is-bare-repository":
			c.Printf("%v\n", c.Repo.Top == "")
		case a == "--is-shallow-repository":
			shallow, err := c.Repo.Shallow()
			if err != nil {
				return err
			}
			c.Printf("%v\n", len(shallow) > 0)
		case a == "--show-prefix":
			c.Printf("%s\n", c.Repo.Prefix)
		case a == "--show-cdup":
			c.Printf("%s\n", strings.Repeat("../", strings.Count(c.Repo.Prefix, "/")))
		case strings.HasPrefix(a, "-"):
			c.Printf("%s\n", a)
		default:
			if err := revParse(c, a, short, verify, silent, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func revParse(c *cli.Call, a string, short int, verify, silent, name bool) error {
	h, err := c.Repo.Resolve(a)
	var tooShort *repo.ShortLogError
	switch {
	case errors.As(err, &tooShort) && !silent:
		return cli.Fatal("%v", err)
	case err != nil && silent:
		return cli.Quiet(1)
	case err != nil && verify:
		return cli.Fatal("Needed a single revision")
	case err != nil:
		c.Printf("%s\n", a)
		return cli.Ambiguous(a)
	case name && (a == "HEAD" || a == "@"):
		if b := c.Repo.Branch(); b != "" {
			a = b
		}
		c.Printf("%s\n", a)
	case name:
		a = c.Prior(a)
		c.Printf("%s\n", a)
	case short > 0:
		c.Printf("%s\n", h.String()[:short])
	default:
		c.Printf("%s\n", h)
	}
	return nil
}
