package porcelain

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/object"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const logOptions = " # n,max-count= oneline format= pretty? abbrev-commit no-abbrev-commit all author= grep= i reverse no-merges merges decorate? " +
	"no-decorate skip= since,after= until,before= date= first-parent follow graph abbrev= no-walk no-pager "

// changesOf returns what a commit changed since its first parent.
func (c *call) changesOf(commit *object.Commit, paths repo.Paths) ([]change, *diffOutput, error) {
	d := &diffOutput{repo: c.repo, context: 3, renames: true} // for counts alone
	parent := repo.Zero
	if len(commit.ParentHashes) > 0 {
		parent = commit.ParentHashes[0]
	}
	a, b, err := c.repo.Differences(parent, commit.Hash, paths)
	if err != nil {
		return nil, nil, err
	}
	return renames(compare(a, b, paths), d.read), d, nil
}

// split tells revisions from paths among the operands.
func (c *call) split(o *option.Result) (revisions []string, paths repo.Paths, err error) {
	args := o.Paths
	if o.Dashes {
		revisions = o.Operands
	} else {
		for i, arg := range o.Operands {
			if c.isRevision(arg) {
				revisions = append(revisions, arg)
				continue
			}
			args = o.Operands[i:]
			break
		}
		for _, arg := range args {
			p, outside := c.repo.Paths([]string{arg})
			if outside != "" {
				return nil, nil, c.outside(outside)
			}
			if _, err := os.Lstat(c.repo.Path(p[0])); err != nil && !strings.ContainsAny(arg, "*?[") {
				return nil, nil, unknown(arg)
			}
		}
	}
	paths, outside := c.repo.Paths(args)
	if outside != "" {
		return nil, nil, c.outside(outside)
	}
	return revisions, paths, nil
}

// unknown says that a revision is none.
func unknown(rev string) error {
	if at, path, ok := strings.Cut(rev, ":"); ok && at != "" {
		return fatal("path '%s' does not exist in '%s'", path, at)
	}
	return ambiguous(rev)
}

func ambiguous(arg string) error {
	return fatal("ambiguous argument '%s': unknown revision or path not in the working tree.\n"+
		"Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'", arg)
}

func (c *call) isRevision(arg string) bool {
	arg = strings.TrimPrefix(arg, "^")
	if a, b, ok := strings.Cut(arg, ".."); ok {
		return c.isRevision(orHead(a)) && c.isRevision(orHead(strings.TrimPrefix(b, ".")))
	}
	_, err := c.repo.Resolve(arg)
	return err == nil
}

func orHead(s string) string {
	if s == "" {
		return "HEAD"
	}
	return s
}

// ends returns where a walk over the revisions begins and what it leaves out.
func (c *call) ends(revisions []string) (from, not []plumbing.Hash, err error) {
	for _, rev := range revisions {
		a, b, isRange := strings.Cut(rev, "..")
		hidden, isHidden := strings.CutPrefix(rev, "^")
		switch {
		case isRange:
			b = strings.TrimPrefix(b, ".")
			if err := c.end(&not, orHead(a)); err != nil {
				return nil, nil, err
			}
			err = c.end(&from, orHead(b))
		case isHidden:
			err = c.end(&not, hidden)
		default:
			err = c.end(&from, rev)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return from, not, nil
}

func (c *call) end(list *[]plumbing.Hash, rev string) error {
	commit, err := c.repo.ResolveCommit(rev)
	if err != nil {
		return fatal("bad revision '%s'", rev)
	}
	*list = append(*list, commit.Hash)
	return nil
}

func logCommand(c *call) error {
	o, err := c.parse(logOptions + diffOptions)
	if e, ok := err.(*option.Error); ok {
		return unrecognized(e, c.args)
	}
	revisions, paths, err := c.split(o)
	if err != nil {
		return err
	}
	if len(revisions) == 0 {
		if c.repo.Head() == repo.Zero && !o.Has("all") {
			return fatal("your current branch '%s' does not have any commits yet", c.repo.Branch())
		}
		revisions = []string{"HEAD"}
	}
	from, not, err := c.ends(revisions)
	if err != nil {
		return err
	}
	if o.Has("all") {
		names, err := c.repo.Refs("refs/")
		if err != nil {
			return err
		}
		for _, name := range names {
			c.end(&from, "refs/"+name) // tags of other things than commits don't count
		}
	}
	d, err := c.diffOutput(o, "")
	if err != nil {
		return err
	}
	f, err := c.logFormat(o, d)
	if err != nil {
		return err
	}
	sel, err := newSelection(o, paths)
	if err != nil {
		return err
	}
	// One is held back where the last looks different. Others are shown as they are found.
	held := 0
	if f.separated() {
		held = 1
	}
	var chosen []*object.Commit
	shown := 0
	show := func(n int) (err error) {
		for ; n > 0 && err == nil; n-- {
			err = f.write(c, chosen[0], paths, shown == 0, len(chosen) == 1)
			chosen = chosen[1:]
			shown++
		}
		return errors.Join(err, c.buffer.Flush())
	}
	reverse := o.Has("reverse")
	var failed error
	visit := func(commit *object.Commit) bool {
		if sel.limit == 0 {
			return false
		}
		ok := sel.match(commit)
		if ok && sel.skip > 0 {
			sel.skip--
			ok = false
		}
		if ok {
			chosen = append(chosen, commit)
			sel.limit--
			if failed == nil && !reverse {
				failed = show(len(chosen) - held)
			}
		}
		return failed == nil && sel.limit != 0
	}
	if len(paths) > 0 {
		err = c.repo.WalkPaths(from, not, paths, visit)
	} else {
		err = c.repo.Walk(from, not, visit)
	}
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	if reverse {
		slices.Reverse(chosen)
	}
	return show(len(chosen))
}

// unrecognized is how commands that walk over history put it.
func unrecognized(e *option.Error, args []string) error {
	_, what, _ := strings.Cut(e.Text, "`")
	what = strings.TrimSuffix(what, "'")
	for _, a := range args {
		if strings.TrimLeft(a, "-") == what || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, what) {
			return fatal("unrecognized argument: %s", a)
		}
	}
	return fatal("%s", e.Text)
}

// A selection says which commits of a walk are meant.
type selection struct {
	limit, skip  int // limit is below zero for none
	author, grep string
	fold         bool
	merges, only bool // merges are left out; or nothing else counts
}

func newSelection(o *option.Result, paths repo.Paths) (*selection, error) {
	s := &selection{limit: -1, author: o.Arg("author"), grep: o.Arg("grep"), fold: o.Has("i"), merges: o.Has("no-merges"), only: o.Has("merges")}
	for name, to := range map[string]*int{"#": &s.limit, "n": &s.limit, "skip": &s.skip} {
		if !o.Has(name) {
			continue
		}
		n, err := strconv.Atoi(o.Arg(name))
		if err != nil {
			return nil, fatal("'%s': not an integer", o.Arg(name))
		}
		*to = n
	}
	for _, name := range []string{"since", "until"} {
		if o.Has(name) {
			return nil, fatal("log --%s is not supported in this sandbox", name)
		}
	}
	if o.Has("graph") {
		return nil, fatal("log --graph is not supported in this sandbox")
	}
	return s, nil
}

func (s *selection) match(c *object.Commit) bool {
	contains := func(text, part string) bool {
		if s.fold {
			text, part = strings.ToLower(text), strings.ToLower(part)
		}
		return strings.Contains(text, part)
	}
	merge := len(c.ParentHashes) > 1
	return contains(c.Author.Name+" <"+c.Author.Email+">", s.author) && contains(c.Message, s.grep) &&
		!(merge && s.merges) && (merge || !s.only)
}
