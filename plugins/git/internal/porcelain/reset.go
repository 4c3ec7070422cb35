package porcelain

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func reset(c *call) error {
	o, err := c.parse("soft mixed hard merge keep q,quiet p,patch")
	if err != nil {
		return err
	}
	if o.Has("p") {
		return fatal("reset --patch: there is no dialogue in this sandbox")
	}
	revisions, paths, err := c.split(o)
	if err != nil {
		return err
	}
	rev := "HEAD"
	if len(revisions) > 0 {
		rev = revisions[0]
	}
	if len(paths) > 0 {
		for _, mode := range []string{"soft", "hard"} {
			if o.Has(mode) {
				return fatal("Cannot do %s reset with paths.", mode)
			}
		}
		return c.resetIndex(rev, paths, o.Has("q"))
	}
	h := c.repo.Head()
	if rev != "HEAD" || h != repo.Zero {
		commit, err := c.repo.ResolveCommit(rev)
		if err != nil {
			return fatal("Could not parse object '%s'.", rev)
		}
		h = commit.Hash
	}
	switch how, _ := o.Last("soft", "mixed", "hard", "merge", "keep"); {
	case how == "soft" && c.repo.HasState("MERGE_HEAD"):
		return fatal("Cannot do a soft reset in the middle of a merge.")
	case how == "hard":
		err = c.move(h, "reset", true)
	case how == "merge":
		err = c.resetMerge(h)
	case how == "keep":
		err = c.resetKeep(h)
	}
	if err != nil {
		return err
	}
	if h != repo.Zero {
		if err := errors.Join(c.noteReset(h, rev), c.endJoin()); err != nil {
			return err
		}
	}
	switch {
	case o.Has("soft") || o.Has("merge") || o.Has("keep"):
		return nil
	case !o.Has("hard"):
		return c.resetIndex("HEAD", nil, o.Has("q"))
	case !o.Has("q"):
		commit, err := c.repo.Commit(h)
		if err != nil {
			return err
		}
		c.printf("HEAD is now at %s %s\n", abbreviate(h), subject(commit.Message))
	}
	return nil
}

// noteReset puts the branch on h, which rev names, and notes where it was. git notes it even where
// nothing moves, as behind stash and merge --abort, so that HEAD@{1} means the same in both.
func (c *call) noteReset(h plumbing.Hash, rev string) error {
	if err := c.repo.SetStateHash("ORIG_HEAD", c.repo.Head()); err != nil {
		return err
	}
	return c.repo.SetHead(h, "reset: moving to "+rev)
}

// resetKeep moves to h and keeps what is changed in the working tree, if that is possible.
func (c *call) resetKeep(h plumbing.Hash) error {
	err := c.move(h, "reset", false)
	var f *failure
	if errors.As(err, &f) {
		_, names, _ := strings.Cut(f.text, "\t")
		name, _, _ := strings.Cut(names, "\n")
		return &failure{128, fmt.Sprintf("error: Entry '%s' not uptodate. Cannot merge.\nfatal: Could not reset index file to revision '%s'.", name, h)}
	}
	return err
}

// resetIndex makes the index as rev is, and lists what now differs on disk.
func (c *call) resetIndex(rev string, paths repo.Paths, silent bool) error {
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	files := repo.Snapshot{}
	if rev != "HEAD" || c.repo.Head() != repo.Zero {
		if files, err = c.tree(rev); err != nil {
			return err
		}
	}
	for _, ch := range compare(x.Files, files, paths) {
		if ch.status == 'D' {
			x.Remove(ch.new)
			continue
		}
		x.Files[ch.new] = ch.to
	}
	for name := range x.Conflicts {
		if paths.Match(name) {
			delete(x.Conflicts, name)
		}
	}
	disk, err := x.OnDisk()
	if err = errors.Join(err, x.Save()); err != nil || silent {
		return err
	}
	for i, ch := range compare(x.Files, disk, nil) {
		if i == 0 {
			c.printf("Unstaged changes after reset:\n")
		}
		c.printf("%c\t%s\n", ch.status, quote(ch.new))
	}
	return nil
}
