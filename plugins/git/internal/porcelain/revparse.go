package porcelain

import (
	"errors"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func revParse(c *call) error {
	if c.repo == nil {
		return fatal("%v", repo.ErrNone)
	}
	short, verify, silent, name, full := 0, false, false, false, false
	for _, a := range c.args {
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
				return fatal("'%s': not a length", a)
			}
			short = min(max(n, 4), 40)
		case a == "--abbrev-ref":
			name = true
		case a == "--symbolic-full-name":
			full = true
		case a == "--all" || a == "--branches" || a == "--tags" || a == "--remotes":
			prefix := map[string]string{"--all": "refs/", "--branches": "refs/heads/", "--tags": "refs/tags/", "--remotes": "refs/remotes/"}[a]
			refs, err := c.repo.Refs(prefix)
			if err != nil {
				return err
			}
			for _, ref := range refs {
				c.printf("%s\n", c.repo.Ref(prefix+ref))
			}
		case full && !strings.HasPrefix(a, "-"):
			ref := c.repo.FullName(a)
			if b := c.repo.Branch(); (a == "HEAD" || a == "@") && b != "" {
				ref = "refs/heads/" + b
			}
			if ref == "" && !c.isRevision(a) {
				return ambiguous(a)
			}
			if ref != "" {
				c.printf("%s\n", ref)
			}
		case a == "--show-toplevel" && c.repo.Top == "":
			return fatal("this operation must be run in a work tree")
		case a == "--show-toplevel":
			c.printf("%s\n", c.repo.Top)
		case a == "--git-dir" && c.repo.Prefix == "" && c.repo.Top != "" && c.repo.Common == c.repo.Dir:
			c.printf(".git\n")
		case a == "--git-dir" || a == "--absolute-git-dir":
			c.printf("%s\n", c.repo.Dir)
		case a == "--is-inside-work-tree":
			c.printf("%v\n", c.repo.Top != "")
		case a == "--git-common-dir" && c.repo.Prefix == "" && c.repo.Top != "" && c.repo.Common == c.repo.Dir:
			c.printf(".git\n")
		case a == "--git-common-dir":
			c.printf("%s\n", c.repo.Common)
		case strings.HasPrefix(a, "--git-path"):
			return fatal("rev-parse --git-path is not supported in this sandbox")
		case a == "--is-inside-git-dir":
			c.printf("false\n")
		case a == "--is-bare-repository":
			c.printf("%v\n", c.repo.Top == "")
		case a == "--is-shallow-repository":
			shallow, err := c.repo.Shallow()
			if err != nil {
				return err
			}
			c.printf("%v\n", len(shallow) > 0)
		case a == "--show-prefix":
			c.printf("%s\n", c.repo.Prefix)
		case a == "--show-cdup":
			c.printf("%s\n", strings.Repeat("../", strings.Count(c.repo.Prefix, "/")))
		case strings.HasPrefix(a, "-"):
			c.printf("%s\n", a)
		default:
			if err := c.revParse(a, short, verify, silent, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *call) revParse(a string, short int, verify, silent, name bool) error {
	h, err := c.repo.Resolve(a)
	var tooShort *repo.ShortLogError
	switch {
	case errors.As(err, &tooShort) && !silent:
		return fatal("%v", err)
	case err != nil && silent:
		return quiet(1)
	case err != nil && verify:
		return fatal("Needed a single revision")
	case err != nil:
		c.printf("%s\n", a)
		return ambiguous(a)
	case name && (a == "HEAD" || a == "@"):
		if b := c.repo.Branch(); b != "" {
			a = b
		}
		c.printf("%s\n", a)
	case name:
		a = c.prior(a)
		c.printf("%s\n", a)
	case short > 0:
		c.printf("%s\n", h.String()[:short])
	default:
		c.printf("%s\n", h)
	}
	return nil
}
