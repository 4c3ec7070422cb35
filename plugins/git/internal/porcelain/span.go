package porcelain

import (
	"strings"
	"time"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/object"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// revisionOptions are those that say which commits are meant: git-rev-list(1).
const revisionOptions = " # n,max-count= skip= since,after= until,before= author= committer= grep= i,regexp-ignore-case E,extended-regexp F,fixed-strings " +
	"P,perl-regexp all-match invert-grep merges no-merges min-parents= max-parents= no-min-parents no-max-parents first-parent all branches? tags? remotes? " +
	"glob= exclude= not reverse topo-order date-order author-date-order left-right left-only right-only cherry-pick cherry cherry-mark " +
	"full-history simplify-merges simplify-by-decoration sparse dense boundary ignore-missing max-age= min-age= g,walk-reflogs "

// A span says where a walk over history begins, and what it leaves out.
type span struct {
	from, not []plumbing.Hash
	left      map[plumbing.Hash]bool // the commits of the left side of A...B; nil without that
	since     time.Time              // commits before that end the walk; zero without
}

// span reads the revisions and options of a command line. Without any, it begins at HEAD if head is set.
func (c *call) span(o *option.Result, revisions []string, head bool) (*span, error) {
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
			if h := c.repo.Head(); h != repo.Zero {
				s.from = append(s.from, h)
			}
		}
	}
	for _, name := range []string{"since", "max-age"} {
		if o.Has(name) {
			s.since, _ = repo.ParseApproxDate(o.Arg(name), time.Now())
		}
	}
	if !named && head {
		if c.repo.Head() == repo.Zero {
			return nil, fatal("your current branch '%s' does not have any commits yet", c.repo.Branch())
		}
		s.from = []plumbing.Hash{c.repo.Head()}
	}
	return s, nil
}

func (s *span) addRefs(c *call, prefixes []string, pattern string) error {
	for _, prefix := range prefixes {
		names, err := c.repo.Refs(prefix)
		if err != nil {
			return err
		}
		for _, name := range names {
			if pattern != "" && !repo.Wild(strings.TrimPrefix(pattern, prefix), name) && !repo.Wild(pattern+"/*", name) {
				continue
			}
			c.end(&s.from, prefix+name) // tags of other things than commits don't count
		}
	}
	return nil
}

func (s *span) add(c *call, rev string) error {
	if a, b, ok := strings.Cut(rev, "..."); ok {
		return s.symmetric(c, orHead(a), orHead(b))
	}
	if a, b, ok := strings.Cut(rev, ".."); ok {
		if err := c.end(&s.not, orHead(a)); err != nil {
			return err
		}
		return c.end(&s.from, orHead(b))
	}
	if hidden, ok := strings.CutPrefix(rev, "^"); ok {
		return c.end(&s.not, hidden)
	}
	for suffix, parents := range map[string]bool{"^!": true, "^@": false} {
		name, ok := strings.CutSuffix(rev, suffix)
		if !ok {
			continue
		}
		commit, err := c.repo.ResolveCommit(name)
		if err != nil {
			return fatal("bad revision '%s'", rev)
		}
		if parents {
			s.from, s.not = append(s.from, commit.Hash), append(s.not, commit.ParentHashes...)
		} else {
			s.from = append(s.from, commit.ParentHashes...)
		}
		return nil
	}
	return c.end(&s.from, rev)
}

// symmetric adds the commits that only one of two has.
func (s *span) symmetric(c *call, a, b string) error {
	var ends []plumbing.Hash
	for _, name := range []string{a, b} {
		if err := c.end(&ends, name); err != nil {
			return err
		}
	}
	bases, err := c.repo.MergeBases(ends[0], ends[1])
	if err != nil {
		return err
	}
	if s.left == nil {
		s.left = map[plumbing.Hash]bool{}
	}
	err = c.repo.Walk(ends[:1], ends[1:], func(commit *object.Commit) bool { s.left[commit.Hash] = true; return true })
	s.from, s.not = append(s.from, ends...), append(s.not, bases...)
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
func (c *call) walk(o *option.Result, s *span, paths repo.Paths, visit func(*object.Commit) bool) error {
	if o.Has("left-only") || o.Has("right-only") {
		inner := visit
		visit = func(commit *object.Commit) bool {
			return s.left[commit.Hash] != o.Has("left-only") || inner(commit)
		}
	}
	switch {
	case o.Has("first-parent") && len(paths) > 0:
		return c.repo.WalkFirstParents(s.from, s.not, func(commit *object.Commit) bool {
			parent := repo.Zero
			if len(commit.ParentHashes) > 0 {
				parent = commit.ParentHashes[0]
			}
			a, b, err := c.repo.Differences(parent, commit.Hash, paths)
			return err != nil || len(a)+len(b) == 0 || visit(commit)
		})
	case o.Has("first-parent"):
		return c.repo.WalkFirstParents(s.from, s.not, visit)
	case len(paths) > 0:
		return c.repo.WalkPaths(s.from, s.not, paths, visit)
	case o.Has("topo-order"):
		return c.repo.WalkTopologically(s.from, s.not, visit)
	}
	return c.repo.WalkSince(s.from, s.not, s.since, visit)
}
