package replay

import (
	"errors"
	"fmt"
	"maps"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/treemerge"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A pick brings what one commit changed, or the opposite, to the index and the working tree.
type pick struct {
	c         *cli.Call
	commit    *repo.Commit
	parent    plumbing.Hash // what the change is counted from; Zero for a first commit
	favor     diff.Side
	revert    bool
	name      string // of the command, for messages
	intoIndex bool   // whether the index may have changes already
}

func (p *pick) label() string {
	return fmt.Sprintf("%s (%s)", cli.Abbreviate(p.commit.Hash), messages.Subject(p.commit.Message))
}

// merge merges the change. It changes nothing if that would lose what is in no commit.
func (p *pick) merge() (*treemerge.Merge, error) {
	c := p.c
	x, err := c.Repo.Index()
	if err != nil {
		return nil, err
	}
	ours, err := c.Repo.Tree(c.Repo.Head())
	if err != nil {
		return nil, err
	}
	if len(change.Compare(ours, x.Files, nil)) > 0 {
		if !p.intoIndex {
			return nil, &cli.Failure{Status: 128, Text: fmt.Sprintf("error: your local changes would be overwritten by %s.\nhint: commit your changes or stash them to proceed.", p.name)}
		}
		ours = x.Files
	}
	base, err := c.Repo.Tree(p.parent)
	if err != nil {
		return nil, err
	}
	theirs, err := c.Repo.Tree(p.commit.Hash)
	if err != nil {
		return nil, err
	}
	how := diff.Merging{Ours: "HEAD", Base: "parent of " + p.label(), Theirs: p.label(), Favor: p.favor}
	if p.revert {
		base, theirs = theirs, base
		how.Base, how.Theirs = how.Theirs, how.Base
	}
	m, err := treemerge.Trees(c, base, ours, theirs, how)
	if err != nil {
		return nil, err
	}
	if p.intoIndex {
		ours = maps.Clone(ours) // it may be the index, which changes
	}
	if err := checkout.Advance(c, x, ours, m.Files, m.Conflicts, "merge"); err != nil {
		var f *cli.Failure
		if errors.As(err, &f) {
			f.Status = 128
		}
		return nil, err
	}
	m.Tell()
	return m, nil
}

// message is the message of the commit to be made.
func (p *pick) message(o *option.Result) string {
	text := p.commit.Message
	if p.revert {
		text = `Revert "` + messages.Subject(text) + `"`
		text += "\n\nThis reverts commit " + p.commit.Hash.String()
		if len(p.commit.ParentHashes) > 1 {
			text += ", reversing\nchanges made to " + p.parent.String()
		}
		text += ".\n"
	}
	if o.Has("x") {
		if !messages.EndsInTrailers(text) {
			text += "\n"
		}
		text += fmt.Sprintf("(cherry picked from commit %s)\n", p.commit.Hash)
	}
	if o.Has("s") {
		if who, err := p.c.Repo.Identity("COMMITTER"); err == nil {
			text = messages.SignOff(text, who)
		}
	}
	return text
}
