package porcelain

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/patch"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func diffCommand(c *call) error {
	o, err := c.parse("cached,staged " + diffOptions)
	var bad *option.Error
	if errors.As(err, &bad) {
		_, what, _ := strings.Cut(strings.TrimSuffix(bad.Text, "'"), "`")
		return &failure{255, "error: invalid option: --" + what}
	}
	if c.repo == nil || o.Has("no-index") {
		d, err := c.diffOutput(o, "patch")
		if err != nil {
			return err
		}
		return c.diffNoIndex(d, o.Rest(), o.Has("quiet"))
	}
	revisions, paths, err := c.split(o)
	if err != nil {
		return err
	}
	if !o.Has("quiet") && !o.Has("exit-code") {
		c.page()
	}
	d, err := c.diffOutput(o, "patch")
	if err != nil {
		return err
	}
	a, b, err := c.sides(d, revisions, o.Has("cached"))
	if err != nil {
		return err
	}
	if o.Has("R") {
		a, b = b, a
		d.swapped = true
	}
	changes := compare(a, b, paths)
	if d.index != nil && len(d.index.Conflicts) > 0 {
		changes = c.withUnmerged(d, changes, paths)
	}
	changes = d.pick(changes)
	if o.Has("check") {
		return c.checkWhitespace(d, changes)
	}
	if !o.Has("quiet") {
		d.write(c.stdout, changes)
	}
	if len(changes) > 0 && (o.Has("quiet") || o.Has("exit-code")) {
		return quiet(1)
	}
	return nil
}

// checkWhitespace tells of whitespace that is added and should not be, and of markers of conflicts.
func (c *call) checkWhitespace(d *diffOutput, changes []change) error {
	found := false
	for _, ch := range changes {
		var a, b []byte
		if ch.status != 'A' {
			a = d.read(ch.old, ch.from, false)
		}
		if ch.status != 'D' {
			b = d.read(ch.new, ch.to, true)
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
				c.printf("%s:%d: %s.\n", quote(ch.new), i+1, what)
				if what != "leftover conflict marker" {
					c.printf("+%s\n", bytes.TrimSuffix(lines[i], []byte("\n")))
				}
			}
		}
	}
	if found {
		return quiet(2)
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
func (c *call) sides(d *diffOutput, revisions []string, cached bool) (a, b repo.Snapshot, err error) {
	if len(revisions) == 1 && strings.Contains(revisions[0], "..") {
		left, right, _ := strings.Cut(revisions[0], "..")
		revisions = []string{orHead(left), orHead(strings.TrimPrefix(right, "."))}
		if strings.HasPrefix(right, ".") {
			if revisions[0], err = c.mergeBase(revisions[0], revisions[1]); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(revisions) > 2 {
		return nil, nil, fatal("diff of more than two commits is not supported in this sandbox")
	}
	if len(revisions) == 2 {
		if a, err = c.tree(revisions[0]); err == nil {
			b, err = c.tree(revisions[1])
		}
		return a, b, err
	}
	x, err := c.repo.Index()
	if err != nil {
		return nil, nil, err
	}
	d.index = x
	if len(revisions) == 0 && cached {
		a, err = c.repo.Tree(c.repo.Head())
		return a, x.Files, err
	}
	a = x.Files
	if len(revisions) == 1 {
		if a, err = c.tree(revisions[0]); err != nil || cached {
			return a, x.Files, err
		}
	}
	d.disk = true
	d.againstIndex = len(revisions) == 0
	b, err = x.OnDisk()
	return a, b, err
}

// tree returns the files of a revision.
func (c *call) tree(rev string) (repo.Snapshot, error) {
	h, err := c.repo.Resolve(rev)
	if err != nil {
		return nil, ambiguous(rev)
	}
	return c.repo.Tree(h)
}

func (c *call) mergeBase(a, b string) (string, error) {
	x, err := c.repo.ResolveCommit(a)
	if err != nil {
		return "", ambiguous(a)
	}
	y, err := c.repo.ResolveCommit(b)
	if err != nil {
		return "", ambiguous(b)
	}
	base, err := c.repo.MergeBase(x.Hash, y.Hash)
	if err == nil && base == repo.Zero {
		err = fatal("%s...%s: no merge base", a, b)
	}
	return base.String(), err
}

func show(c *call) error {
	o, err := c.parse(logOptions + diffOptions)
	if e, ok := err.(*option.Error); ok {
		return unrecognized(e, c.args)
	}
	revisions, paths, err := c.split(o)
	if err != nil {
		return err
	}
	if len(revisions) == 0 {
		if c.repo.Head() == repo.Zero {
			return fatal("your current branch '%s' does not have any commits yet", c.repo.Branch())
		}
		revisions = []string{"HEAD"}
	}
	d, err := c.diffOutput(o, "patch")
	if err != nil {
		return err
	}
	f, err := c.logFormat(o, d)
	if err != nil {
		return err
	}
	for i, rev := range revisions {
		h, err := c.repo.Resolve(rev)
		if err != nil {
			return unknown(rev)
		}
		if err := c.showObject(f, h, rev, paths, i == 0); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) showObject(f *logFormat, h plumbing.Hash, name string, paths repo.Paths, first bool) error {
	t, b, err := c.repo.Object(h)
	if err != nil {
		return err
	}
	switch t {
	case plumbing.BlobObject:
		c.stdout.Write(b)
		return nil
	case plumbing.TreeObject:
		tree, err := c.repo.List(h)
		if err != nil {
			return err
		}
		c.printf("%s\n\n", f.diff.paint(commitColor, "tree "+name))
		for _, line := range tree {
			c.printf("%s\n", line)
		}
		return nil
	case plumbing.TagObject:
		t, err := c.repo.Tag(h)
		if err != nil {
			return err
		}
		c.printf("%s\nTagger: %s <%s>\nDate:   %s\n\n%s\n", f.diff.paint(commitColor, "tag "+t.Name), t.Tagger.Name, t.Tagger.Email, f.when(t.Tagger.When, ""), t.Message)
		return c.showObject(f, t.Target, name, paths, true)
	}
	commit, err := c.repo.Commit(h)
	if err != nil {
		return err
	}
	f.combine = true
	return f.write(c, commit, paths, first, true)
}
