package history

import (
	"regexp"
	"strconv"
	"time"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A selection says which commits of a walk are meant.
type selection struct {
	limit, skip                int // limit is below zero for none
	authors, committers, greps []*regexp.Regexp
	all, invert                bool // whether all of greps must match, or none
	since, until               time.Time
	least, most                int // parents; most is below zero for any number
	pickaxe                    *pickaxe
	// the commits that have names, if only those are meant
	named map[plumbing.Hash][]decoration
	diff  *change.Output // if only commits with changes that it shows are meant
	paths repo.Paths
}

func newSelection(c *cli.Call, o *option.Result) (*selection, error) {
	s := &selection{limit: -1, most: -1, all: o.Has("all-match"), invert: o.Has("invert-grep")}
	for name, to := range map[string]*int{"#": &s.limit, "n": &s.limit, "skip": &s.skip, "min-parents": &s.least, "max-parents": &s.most} {
		if !o.Has(name) {
			continue
		}
		n, err := strconv.Atoi(o.Arg(name))
		if err != nil {
			return nil, cli.Fatal("'%s': not an integer", o.Arg(name))
		}
		*to = n
	}
	if o.Has("merges") {
		s.least = 2
	}
	if o.Has("no-merges") {
		s.most = 1
	}
	for name, to := range map[string]*[]*regexp.Regexp{"author": &s.authors, "committer": &s.committers, "grep": &s.greps} {
		for _, text := range o.All(name) {
			re, err := pattern(c, o, text, true)
			if err != nil {
				return nil, err
			}
			*to = append(*to, re)
		}
	}
	now := time.Now()
	for name, to := range map[string]*time.Time{"since": &s.since, "until": &s.until, "max-age": &s.since, "min-age": &s.until} {
		if o.Has(name) {
			*to, _ = repo.ParseApproxDate(o.Arg(name), now)
		}
	}
	var err error
	if o.Has("simplify-by-decoration") {
		if s.named, err = decorations(c); err != nil {
			return nil, err
		}
	}
	s.pickaxe, err = newPickaxe(c, o)
	return s, err
}

// pattern reads a pattern of the kind that the options say: basic by default.
func pattern(c *cli.Call, o *option.Result, pattern string, lines bool) (*regexp.Regexp, error) {
	kind, _ := o.Last("E", "F", "P", "G")
	return cli.CompilePattern(pattern, kind, o.Has("i"), lines)
}

// match reports whether a commit is meant. What it changed is looked at last, as that takes time.
func (s *selection) match(c *cli.Call, commit *repo.Commit) (bool, error) {
	when := commit.Committer.When
	switch n := len(commit.ParentHashes); {
	case n < s.least || s.most >= 0 && n > s.most:
		return false, nil
	case !s.since.IsZero() && when.Before(s.since), !s.until.IsZero() && when.After(s.until):
		return false, nil
	case !matchesAny(s.authors, person(commit.Author)), !matchesAny(s.committers, person(commit.Committer)):
		return false, nil
	}
	if len(s.greps) > 0 && s.grep(commit.Message) == s.invert {
		return false, nil
	}
	if s.named != nil && s.named[commit.Hash] == nil {
		return false, nil
	}
	if s.diff != nil {
		if len(commit.ParentHashes) > 1 {
			return false, nil
		}
		parent := repo.Zero
		if len(commit.ParentHashes) > 0 {
			parent = commit.ParentHashes[0]
		}
		a, b, err := c.Repo.Differences(parent, commit.Hash, s.paths)
		if err != nil || len(s.diff.Pick(change.Compare(a, b, nil))) == 0 {
			return false, err
		}
	}
	if s.pickaxe == nil {
		return true, nil
	}
	return s.pickaxe.matches(c, commit)
}

func person(p repo.Signature) string { return p.Name + " <" + p.Email + ">" }

func matchesAny(list []*regexp.Regexp, text string) bool {
	for _, re := range list {
		if re.MatchString(text) {
			return true
		}
	}
	return len(list) == 0
}

func (s *selection) grep(message string) bool {
	if !s.all {
		return matchesAny(s.greps, message)
	}
	for _, re := range s.greps {
		if !re.MatchString(message) {
			return false
		}
	}
	return true
}

// take counts a commit that is meant. It reports whether it is to be shown, and whether more are.
func (s *selection) take() (show, more bool) {
	if s.skip > 0 {
		s.skip--
		return false, true
	}
	s.limit--
	return true, s.limit != 0
}
