package history

import (
	"strings"
	"time"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// Ends returns where a walk over the revisions begins and what it leaves out.
func Ends(c *cli.Call, revisions []string) (from, not []plumbing.Hash, err error) {
	s := &span{}
	for _, rev := range revisions {
		if err := s.add(c, rev); err != nil {
			return nil, nil, err
		}
	}
	return s.From, s.Not, nil
}

// revisionOptions are those that say which commits are meant: git-rev-list(1).
const revisionOptions = " # n,max-count= skip= since,after= until,before= author= committer= grep= i,regexp-ignore-case E,extended-regexp F,fixed-strings " +
	"P,perl-regexp all-match invert-grep merges no-merges min-parents= max-parents= no-min-parents no-max-parents first-parent all branches? tags? remotes? " +
	"glob= exclude= not reverse topo-order date-order author-date-order left-right left-only right-only cherry-pick cherry cherry-mark " +
	"full-history simplify-merges simplify-by-decoration sparse dense boundary ignore-missing max-age= min-age= g,walk-reflogs "

// A span says where a walk over history begins, and what it leaves out.
type span struct {
	From, Not []plumbing.Hash
	left      map[plumbing.Hash]bool // the commits of the left side of A...B; nil without that
	since     time.Time              // commits before that end the walk; zero without
}

// NewSpan reads the revisions and options of a command line. Without any, it begins at HEAD if head
// is set.
func NewSpan(c *cli.Call, o *option.Result, revisions []string, head bool) (*span, error) {
	s := &span{}
	for _, rev := range revisions {
		if err := s.add(c, rev); err != nil {
			return nil, err
		}
	}
	named := len(revisions) > 0
	for option, prefixes := range map[string][]string{"all": {"refs/"}, "branches": {"refs/heads/"}, "tags": {"refs/tags/"}, "remotes": {"refs/remotes/"}, "glob": {"refs/"}} {
		if !o.Has(option) {
			continue
		}
		named = true
		pattern := o.Arg(option)
		if err := s.addRefs(c, prefixes, pattern); err != nil {
			return nil, err
		}
		if option == "all" {
			if h := c.Repo.Head(); h != repo.Zero {
				s.From = append(s.From, h)
			}
		}
	}
	for _, name := range []string{"since", "max-age"} {
		if o.Has(name) {
			s.since, _ = repo.ParseApproxDate(o.Arg(name), time.Now())
		}
	}
	if !named && head {
		if c.Repo.Head() == repo.Zero {
			return nil, cli.Fatal("your current branch '%s' does not have any commits yet", c.Repo.Branch())
		}
		s.From = []plumbing.Hash{c.Repo.Head()}
	}
	return s, nil
}

func (s *span) addRefs(c *cli.Call, prefixes []string, pattern string) error {
	for _, prefix := range prefixes {
		names, err := c.Repo.Refs(prefix)
		if err != nil {
			return err
		}
		for _, name := range names {
			if pattern != "" && !repo.Wild(strings.TrimPrefix(pattern, prefix), name) && !repo.Wild(pattern+"/*", name) {
				continue
			}
			c.End(&s.From, prefix+name) // tags of other things than commits don't count
		}
	}
	return nil
}

func (s *span) add(c *cli.Call, rev string) error {
	if a, b, ok := strings.Cut(rev, "..."); ok {
		return s.symmetric(c, cli.OrHead(a), cli.OrHead(b))
	}
	if a, b, ok := strings.Cut(rev, ".."); ok {
		if err := c.End(&s.Not, cli.OrHead(a)); err != nil {
			return err
		}
		return c.End(&s.From, cli.OrHead(b))
	}
	if hidden, ok := strings.CutPrefix(rev, "^"); ok {
		return c.End(&s.Not, hidden)
	}
	for suffix, parents := range map[string]bool{"^!": true, "^@": false} {
		name, ok := strings.CutSuffix(rev, suffix)
		if !ok {
			continue
		}
		commit, err := c.Repo.ResolveCommit(name)
		if err != nil {
			return cli.Fatal("bad revision '%s'", rev)
		}
		if parents {
			s.From, s.Not = append(s.From, commit.Hash), append(s.Not, commit.ParentHashes...)
		} else {
			s.From = append(s.From, commit.ParentHashes...)
		}
		return nil
	}
	return c.End(&s.From, rev)
}

// symmetric adds the commits that only one of two has.
func (s *span) symmetric(c *cli.Call, a, b string) error {
	var ends []plumbing.Hash
	for _, name := range []string{a, b} {
		if err := c.End(&ends, name); err != nil {
			return err
		}
	}
	bases, err := c.Repo.MergeBases(ends[0], ends[1])
	if err != nil {
		return err
	}
	if s.left == nil {
		s.left = map[plumbing.Hash]bool{}
	}
	err = c.Repo.Walk(ends[:1], ends[1:], func(commit *repo.Commit) bool { s.left[commit.Hash] = true; return true })
	s.From, s.Not = append(s.From, ends...), append(s.Not, bases...)
	return err
}

// mark is what shows on which side of A...B a commit is.
func (s *span) mark(h plumbing.Hash) string {
	switch {
	case s.left == nil:
		return ">"
	case s.left[h]:
		return "<"
	}
	return ">"
}

// walk gives the commits of the span in the order that the options ask for.
func walk(c *cli.Call, o *option.Result, s *span, paths repo.Paths, visit func(*repo.Commit) bool) error {
	if o.Has("left-only") || o.Has("right-only") {
		inner := visit
		visit = func(commit *repo.Commit) bool {
			return s.left[commit.Hash] != o.Has("left-only") || inner(commit)
		}
	}
	switch {
	case o.Has("first-parent") && len(paths) > 0:
		return c.Repo.WalkFirstParents(s.From, s.Not, func(commit *repo.Commit) bool {
			parent := repo.Zero
			if len(commit.ParentHashes) > 0 {
				parent = commit.ParentHashes[0]
			}
			a, b, err := c.Repo.Differences(parent, commit.Hash, paths)
			return err != nil || len(a)+len(b) == 0 || visit(commit)
		})
	case o.Has("first-parent"):
		return c.Repo.WalkFirstParents(s.From, s.Not, visit)
	case len(paths) > 0:
		return c.Repo.WalkPaths(s.From, s.Not, paths, visit)
	case o.Has("topo-order"):
		return c.Repo.WalkTopologically(s.From, s.Not, visit)
	}
	return c.Repo.WalkSince(s.From, s.Not, s.since, visit)
}
