// Package reset has reset: HEAD, the index and the working tree go back.
package reset

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/record"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func Command(c *cli.Call) error {
	o, err := c.Parse("soft mixed hard merge keep q,quiet p,patch")
	if err != nil {
		return err
	}
	if o.Has("p") {
		return cli.Fatal("reset --patch: there is no dialogue in this sandbox")
	}
	revisions, paths, err := c.Split(o)
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
				return cli.Fatal("Cannot do %s reset with paths.", mode)
			}
		}
		return resetIndex(c, rev, paths, o.Has("q"))
	}
	h := c.Repo.Head()
	if rev != "HEAD" || h != repo.Zero {
		commit, err := c.Repo.ResolveCommit(rev)
		if err != nil {
			return cli.Fatal("Could not parse object '%s'.", rev)
		}
		h = commit.Hash
	}
	switch how, _ := o.Last("soft", "mixed", "hard", "merge", "keep"); {
	case how == "soft" && c.Repo.HasState("MERGE_HEAD"):
		return cli.Fatal("Cannot do a soft reset in the middle of a merge.")
	case how == "hard":
		err = checkout.Move(c, h, "reset", true)
	case how == "merge":
		err = Merge(c, h)
	case how == "keep":
		err = resetKeep(c, h)
	}
	if err != nil {
		return err
	}
	if h != repo.Zero {
		if err := errors.Join(Note(c, h, rev), record.EndJoin(c)); err != nil {
			return err
		}
	}
	switch {
	case o.Has("soft") || o.Has("merge") || o.Has("keep"):
		return nil
	case !o.Has("hard"):
		return resetIndex(c, "HEAD", nil, o.Has("q"))
	case !o.Has("q"):
		commit, err := c.Repo.Commit(h)
		if err != nil {
			return err
		}
		c.Printf("HEAD is now at %s %s\n", cli.Abbreviate(h), messages.Subject(commit.Message))
	}
	return nil
}

// Note puts the branch on h, which rev names, and notes where it was. git notes it even where
// nothing moves, as behind stash and merge --abort, so that HEAD@{1} means the same in both.
func Note(c *cli.Call, h plumbing.Hash, rev string) error {
	if err := c.Repo.SetStateHash("ORIG_HEAD", c.Repo.Head()); err != nil {
		return err
	}
	return c.Repo.SetHead(h, "reset: moving to "+rev)
}

// resetKeep moves to h and keeps what is changed in the working tree, if that is possible.
func resetKeep(c *cli.Call, h plumbing.Hash) error {
	err := checkout.Move(c, h, "reset", false)
	var f *cli.Failure
	if errors.As(err, &f) {
		_, names, _ := strings.Cut(f.Text, "\t")
		name, _, _ := strings.Cut(names, "\n")
		return &cli.Failure{Status: 128, Text: fmt.Sprintf("error: Entry '%s' not uptodate. Cannot merge.\nfatal: Could not reset index file to revision '%s'.", name, h)}
	}
	return err
}

// resetIndex makes the index as rev is, and lists what now differs on disk.
func resetIndex(c *cli.Call, rev string, paths repo.Paths, silent bool) error {
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	files := repo.Snapshot{}
	if rev != "HEAD" || c.Repo.Head() != repo.Zero {
		if files, err = c.Tree(rev); err != nil {
			return err
		}
	}
	for _, ch := range change.Compare(x.Files, files, paths) {
		if ch.Status == 'D' {
			x.Remove(ch.New)
			continue
		}
		x.Files[ch.New] = ch.To
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
	for i, ch := range change.Compare(x.Files, disk, nil) {
		if i == 0 {
			c.Printf("Unstaged changes after reset:\n")
		}
		c.Printf("%c\t%s\n", ch.Status, cli.Quote(ch.New))
	}
	return nil
}
