package history

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// logGraph shows commits beside the lines of their history.
func logGraph(c *cli.Call, o *option.Result, f *Format, sel *selection, span *span, paths repo.Paths) error {
	if o.Has("reverse") {
		return cli.Fatal("options '--reverse' and '--graph' cannot be used together")
	}
	commits := map[plumbing.Hash]*repo.Commit{}
	meant := map[plumbing.Hash]bool{}
	var order []plumbing.Hash
	var failed error
	visit := func(commit *repo.Commit) bool {
		var ok bool
		if ok, failed = sel.match(c, commit); failed != nil {
			return false
		}
		commits[commit.Hash], meant[commit.Hash] = commit, ok
		order = append(order, commit.Hash)
		return true
	}
	if err := walk(c, o, span, paths, visit); err != nil || failed != nil {
		return firstError(err, failed)
	}
	parents := map[plumbing.Hash][]plumbing.Hash{}
	for _, h := range order {
		for i, p := range commits[h].ParentHashes {
			if o.Has("first-parent") && i > 0 {
				break
			}
			if len(paths) > 0 {
				p = nearest(c, p, commits)
			}
			if p != repo.Zero && !slices.Contains(parents[h], p) {
				parents[h] = append(parents[h], p)
			}
		}
	}
	g := newGraph(func(h plumbing.Hash) bool { return meant[h] }, f.diff.Paint.On())
	first := true
	for _, h := range repo.Topological(order, func(h plumbing.Hash) []plumbing.Hash { return parents[h] }) {
		if !meant[h] {
			continue
		}
		if sel.limit == 0 {
			break
		}
		show, _ := sel.take()
		g.update(h, parents[h])
		if !show {
			for g.state != padding {
				g.row()
			}
			continue
		}
		if err := graphOne(c, f, g, commits[h], paths, first); err != nil {
			return err
		}
		first = false
	}
	return nil
}

// firstError returns a, or b if that is nil.
func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// maxRewritten bounds how far history is followed to the next commit that is shown.
const maxRewritten = 1 << 20

// nearest follows first parents to a commit that is shown; Zero if there is none.
func nearest(c *cli.Call, h plumbing.Hash, shown map[plumbing.Hash]*repo.Commit) plumbing.Hash {
	for range maxRewritten {
		if shown[h] != nil {
			return h
		}
		commit, err := c.Repo.Commit(h)
		if err != nil || len(commit.ParentHashes) == 0 {
			return repo.Zero
		}
		h = commit.ParentHashes[0]
	}
	return repo.Zero
}

// graphOne shows one commit: its message beside the commit's rows, what it changed beside those
// below.
func graphOne(c *cli.Call, f *Format, g *graph, commit *repo.Commit, paths repo.Paths, first bool) error {
	switch {
	case first:
	case f.separated():
		if g.ended { // else the line feed ends the message
			c.Printf("%s", g.pad())
		}
		c.Printf("\n")
	case f.name != "oneline" && f.name != "" && f.name != "reference":
		c.Printf("%s\n", g.pad())
	}
	out := c.Stdout
	var text bytes.Buffer
	c.Stdout = &text
	f.head(c, commit)
	head := text.Len()
	err := f.changes(c, commit, paths, true)
	c.Stdout = out
	if err != nil {
		return err
	}
	message, changes := text.String()[:head], text.String()[head:]
	g.head(out, message)
	if f.separated() { // which ends the message, where something follows it
		if changes = strings.TrimPrefix(changes, "\n"); changes != "" {
			c.Printf("\n")
		}
	}
	g.body(out, changes)
	g.ended = strings.HasSuffix(message+changes, "\n")
	return nil
}
