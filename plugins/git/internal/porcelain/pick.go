package porcelain

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/object"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
)

// A pick brings what one commit changed, or the opposite, to the index and the working tree.
type pick struct {
	c         *call
	commit    *object.Commit
	parent    plumbing.Hash // what the change is counted from; Zero for a first commit
	favor     diff.Side
	revert    bool
	name      string // of the command, for messages
	intoIndex bool   // whether the index may have changes already
}

func (p *pick) label() string {
	return fmt.Sprintf("%s (%s)", abbreviate(p.commit.Hash), subject(p.commit.Message))
}

// merge merges the change. It changes nothing if that would lose what is in no commit.
func (p *pick) merge() (*treeMerge, error) {
	c := p.c
	x, err := c.repo.Index()
	if err != nil {
		return nil, err
	}
	ours, err := c.repo.Tree(c.repo.Head())
	if err != nil {
		return nil, err
	}
	if len(compare(ours, x.Files, nil)) > 0 {
		if !p.intoIndex {
			return nil, &failure{128, fmt.Sprintf("error: your local changes would be overwritten by %s.\nhint: commit your changes or stash them to proceed.", p.name)}
		}
		ours = x.Files
	}
	base, err := c.repo.Tree(p.parent)
	if err != nil {
		return nil, err
	}
	theirs, err := c.repo.Tree(p.commit.Hash)
	if err != nil {
		return nil, err
	}
	how := diff.Merging{Ours: "HEAD", Base: "parent of " + p.label(), Theirs: p.label(), Favor: p.favor}
	if p.revert {
		base, theirs = theirs, base
		how.Base, how.Theirs = how.Theirs, how.Base
	}
	m, err := c.mergeTrees(base, ours, theirs, how)
	if err != nil {
		return nil, err
	}
	if p.intoIndex {
		ours = maps.Clone(ours) // it may be the index, which changes
	}
	if err := c.advance(x, ours, m.files, m.conflicts, "merge"); err != nil {
		var f *failure
		if errors.As(err, &f) {
			f.status = 128
		}
		return nil, err
	}
	m.tell()
	return m, nil
}

// message is the message of the commit to be made.
func (p *pick) message(o *option.Result) string {
	text := p.commit.Message
	if p.revert {
		text = `Revert "` + subject(text) + `"`
		text += "\n\nThis reverts commit " + p.commit.Hash.String()
		if len(p.commit.ParentHashes) > 1 {
			text += ", reversing\nchanges made to " + p.parent.String()
		}
		text += ".\n"
	}
	if o.Has("x") {
		if !endsInTrailers(text) {
			text += "\n"
		}
		text += fmt.Sprintf("(cherry picked from commit %s)\n", p.commit.Hash)
	}
	if o.Has("s") {
		if who, err := p.c.repo.Identity("COMMITTER"); err == nil {
			text = signOff(text, who)
		}
	}
	return text
}

// endsInTrailers reports whether the last paragraph of a message has lines such as "Signed-off-by: x".
func endsInTrailers(text string) bool {
	text = strings.TrimRight(text, "\n")
	at := strings.LastIndex(text, "\n\n")
	if at < 0 {
		return false
	}
	for line := range strings.SplitSeq(text[at+2:], "\n") {
		if isTrailer(line) {
			return true
		}
	}
	return false
}

func isTrailer(line string) bool {
	if strings.HasPrefix(line, "(cherry picked from commit ") {
		return true
	}
	key, _, ok := strings.Cut(line, ": ")
	return ok && key != "" && !strings.ContainsAny(key, " \t")
}
