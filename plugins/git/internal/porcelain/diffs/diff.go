// Package diffs has diff, and its plumbing: diff-tree, diff-index and diff-files.
package diffs

import (
	"bytes"
	"errors"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/patch"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func Diff(c *cli.Call) error {
	o, err := c.Parse("cached,staged " + change.Options)
	var bad *option.Error
	if errors.As(err, &bad) {
		_, what, _ := strings.Cut(strings.TrimSuffix(bad.Text, "'"), "`")
		return &cli.Failure{Status: 255, Text: "error: invalid option: --" + what}
	}
	if c.Repo == nil || o.Has("no-index") {
		d, err := change.NewOutput(c, o, "patch")
		if err != nil {
			return err
		}
		return change.DiffNoIndex(c, d, o.Rest(), o.Has("quiet"))
	}
	revisions, paths, err := c.Split(o)
	if err != nil {
		return err
	}
	if !o.Has("quiet") && !o.Has("exit-code") {
		c.Page()
	}
	d, err := change.NewOutput(c, o, "patch")
	if err != nil {
		return err
	}
	a, b, err := sides(c, d, revisions, o.Has("cached"))
	if err != nil {
		return err
	}
	if o.Has("R") {
		a, b = b, a
		d.Swapped = true
	}
	changes := change.Compare(a, b, paths)
	if d.Index != nil && len(d.Index.Conflicts) > 0 {
		changes = change.WithUnmerged(c, d, changes, paths)
	}
	changes = d.Pick(changes)
	if o.Has("check") {
		return checkWhitespace(c, d, changes)
	}
	if !o.Has("quiet") {
		d.Write(c.Stdout, changes)
	}
	if len(changes) > 0 && (o.Has("quiet") || o.Has("exit-code")) {
		return cli.Quiet(1)
	}
	return nil
}

// checkWhitespace tells of whitespace that is added and should not be, and of markers of conflicts.
func checkWhitespace(c *cli.Call, d *change.Output, changes []change.Change) error {
	found := false
	for _, ch := range changes {
		var a, b []byte
		if ch.Status != 'A' {
			a = d.Read(ch.Old, ch.From, false)
		}
		if ch.Status != 'D' {
			b = d.Read(ch.New, ch.To, true)
		}
		if diff.IsBinary(a) || diff.IsBinary(b) {
			continue
		}
		lines := diff.Lines(b)
		for _, e := range diff.Compare(diff.Lines(a), lines) {
			for i := e.B0; i < e.B1; i++ {
				what := patch.LineFlaw(lines[i])
				if marksConflict(lines[i]) {
					what = "leftover conflict marker"
				}
				if what == "" {
					continue
				}
				found = true
				c.Printf("%s:%d: %s.\n", cli.Quote(ch.New), i+1, what)
				if what != "leftover conflict marker" {
					c.Printf("+%s\n", bytes.TrimSuffix(lines[i], []byte("\n")))
				}
			}
		}
	}
	if found {
		return cli.Quiet(2)
	}
	return nil
}

// marksConflict reports whether a line is a marker that a merge has left.
func marksConflict(line []byte) bool {
	for _, sign := range []string{"<", "=", ">", "|"} {
		rest, ok := strings.CutPrefix(string(line), strings.Repeat(sign, 7))
		if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\n') {
			return true
		}
	}
	return false
}

// sides returns what diff compares.
func sides(c *cli.Call, d *change.Output, revisions []string, cached bool) (a, b repo.Snapshot, err error) {
	if len(revisions) == 1 && strings.Contains(revisions[0], "..") {
		left, right, _ := strings.Cut(revisions[0], "..")
		revisions = []string{cli.OrHead(left), cli.OrHead(strings.TrimPrefix(right, "."))}
		if strings.HasPrefix(right, ".") {
			if revisions[0], err = c.MergeBase(revisions[0], revisions[1]); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(revisions) > 2 {
		return nil, nil, cli.Fatal("diff of more than two commits is not supported in this sandbox")
	}
	if len(revisions) == 2 {
		if a, err = c.Tree(revisions[0]); err == nil {
			b, err = c.Tree(revisions[1])
		}
		return a, b, err
	}
	x, err := c.Repo.Index()
	if err != nil {
		return nil, nil, err
	}
	d.Index = x
	if len(revisions) == 0 && cached {
		a, err = c.Repo.Tree(c.Repo.Head())
		return a, x.Files, err
	}
	a = x.Files
	if len(revisions) == 1 {
		if a, err = c.Tree(revisions[0]); err != nil || cached {
			return a, x.Files, err
		}
	}
	d.Disk = true
	d.AgainstIndex = len(revisions) == 0
	b, err = x.OnDisk()
	return a, b, err
}
