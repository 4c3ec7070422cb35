package cli

import (
	"os"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// Prior returns the branch or the commit that "-" and "@{-N}" stand for, if it is still there, and
// other names as they are.
func (c *Call) Prior(name string) string {
	name = Dash(name)
	if was, ok := c.Repo.Prior(name); ok && c.IsRevision(was) {
		return was
	}
	return name
}

// Dash is the long way to write "-".
func Dash(name string) string {
	if name == "-" {
		return "@{-1}"
	}
	return name
}

// Tree returns the files of a revision.
func (c *Call) Tree(rev string) (repo.Snapshot, error) {
	h, err := c.Repo.Resolve(rev)
	if err != nil {
		return nil, Ambiguous(rev)
	}
	return c.Repo.Tree(h)
}

func (c *Call) MergeBase(a, b string) (string, error) {
	x, err := c.Repo.ResolveCommit(a)
	if err != nil {
		return "", Ambiguous(a)
	}
	y, err := c.Repo.ResolveCommit(b)
	if err != nil {
		return "", Ambiguous(b)
	}
	base, err := c.Repo.MergeBase(x.Hash, y.Hash)
	if err == nil && base == repo.Zero {
		err = Fatal("%s...%s: no merge base", a, b)
	}
	return base.String(), err
}

// Split tells revisions from paths among the operands.
func (c *Call) Split(o *option.Result) (revisions []string, paths repo.Paths, err error) {
	args := o.Paths
	if o.Dashes {
		revisions = o.Operands
	} else {
		for i, arg := range o.Operands {
			if c.IsRevision(arg) {
				revisions = append(revisions, arg)
				continue
			}
			args = o.Operands[i:]
			break
		}
		for _, arg := range args {
			p, outside := c.Repo.Paths([]string{arg})
			if outside != "" {
				return nil, nil, c.Outside(outside)
			}
			if _, err := os.Lstat(c.Repo.Path(p[0])); err != nil && !strings.ContainsAny(arg, "*?[") {
				return nil, nil, Unknown(arg)
			}
		}
	}
	paths, outside := c.Repo.Paths(args)
	if outside != "" {
		return nil, nil, c.Outside(outside)
	}
	return revisions, paths, nil
}

// Unknown says that a revision is none.
func Unknown(rev string) error {
	if at, path, ok := strings.Cut(rev, ":"); ok && at != "" {
		return Fatal("path '%s' does not exist in '%s'", path, at)
	}
	return Ambiguous(rev)
}

func Ambiguous(arg string) error {
	return Fatal("ambiguous argument '%s': unknown revision or path not in the working tree.\n"+
		"Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'", arg)
}

func (c *Call) IsRevision(arg string) bool {
	arg = strings.TrimPrefix(arg, "^")
	if a, b, ok := strings.Cut(arg, ".."); ok {
		return c.IsRevision(OrHead(a)) && c.IsRevision(OrHead(strings.TrimPrefix(b, ".")))
	}
	_, err := c.Repo.Resolve(strings.TrimSuffix(strings.TrimSuffix(arg, "^!"), "^@"))
	return err == nil
}

func OrHead(s string) string {
	if s == "" {
		return "HEAD"
	}
	return s
}

func (c *Call) End(list *[]plumbing.Hash, rev string) error {
	commit, err := c.Repo.ResolveCommit(rev)
	if err != nil {
		return Fatal("bad revision '%s'", rev)
	}
	*list = append(*list, commit.Hash)
	return nil
}

// Unrecognized is how commands that walk over history put it.
func Unrecognized(e *option.Error, args []string) error {
	_, what, _ := strings.Cut(e.Text, "`")
	what = strings.TrimSuffix(what, "'")
	for _, a := range args {
		if strings.TrimLeft(a, "-") == what || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, what) {
			return Fatal("unrecognized argument: %s", a)
		}
	}
	return Fatal("%s", e.Text)
}
