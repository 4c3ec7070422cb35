package porcelain

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/object"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const logOptions = revisionOptions + "oneline format= pretty? abbrev-commit no-abbrev-commit decorate? no-decorate date= follow graph no-graph no-walk? " +
	"S= G= pickaxe-regex pickaxe-all m c cc diff-merges= no-diff-merges show-signature no-notes notes? no-expand-tabs expand-tabs? " +
	"no-mailmap mailmap use-mailmap log-size clear-decorations decorate-refs= encoding= source relative-date "

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
	s := &span{}
	for _, rev := range revisions {
		if err := s.add(c, rev); err != nil {
			return nil, nil, err
		}
	}
	return s.from, s.not, nil
}

func (c *call) end(list *[]plumbing.Hash, rev string) error {
	commit, err := c.repo.ResolveCommit(rev)
	if err != nil {
		return fatal("bad revision '%s'", rev)
	}
	*list = append(*list, commit.Hash)
	return nil
}

// whatChanged is the log of older times.
func whatChanged(c *call) error {
	c.args = append([]string{"--raw", "--no-merges"}, c.args...)
	return logCommand(c)
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
	if o.Has("g") {
		return c.logReflog(o, revisions)
	}
	span, err := c.span(o, revisions, true)
	if err != nil {
		return err
	}
	d, err := c.diffOutput(o, "")
	if err != nil {
		return err
	}
	f, err := c.logFormat(o, d)
	if err != nil {
		return err
	}
	if f.combine && len(d.forms) == 0 {
		d.forms = []string{"patch"}
	}
	f.mark = span.mark
	sel, err := c.selection(o)
	if err != nil {
		return err
	}
	f.pickaxe = sel.pickaxe
	if f.pickaxe != nil {
		f.pickaxe.paths = paths
	}
	if d.filter != "" || c.name == "whatchanged" {
		sel.diff, sel.paths = d, paths
	}
	if o.Has("graph") {
		return c.logGraph(o, f, sel, span, paths)
	}
	walked := paths
	if o.Has("follow") {
		if len(paths) != 1 {
			return fatal("--follow requires exactly one pathspec")
		}
		f.follower = &follower{c: c, name: paths[0], changes: map[plumbing.Hash][]change{}}
		walked = nil
	}
	return c.logList(o, f, sel, span, walked, paths)
}

// logList shows commits one below the other, as they are found.
func (c *call) logList(o *option.Result, f *logFormat, sel *selection, span *span, walked, paths repo.Paths) error {
	// One is held back where the last looks different.
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
	more := sel.limit != 0
	visit := func(commit *object.Commit) bool {
		if !more {
			return false
		}
		ok, err := sel.match(c, commit)
		if ok && err == nil && f.follower != nil {
			ok, err = f.follower.match(commit)
		}
		if failed = err; err != nil {
			return false
		}
		if ok {
			if ok, more = sel.take(); ok {
				chosen = append(chosen, commit)
			}
			if !reverse {
				failed = show(len(chosen) - held)
			}
		}
		return failed == nil && more
	}
	err := c.walk(o, span, walked, visit)
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
