package porcelain

import (
	"bufio"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// diffTree compares two trees, or a commit with its parent.
func diffTree(c *call) error {
	o, err := c.parse("r t root no-commit-id m c cc pretty? format= stdin v always merge-base " + diffOptions)
	if err != nil {
		return err
	}
	revisions, paths, err := c.split(o)
	if err != nil {
		return err
	}
	if len(revisions) == 1 && strings.Contains(revisions[0], "..") {
		a, b, _ := strings.Cut(revisions[0], "..")
		revisions = []string{orHead(a), orHead(b)}
	}
	var a, b repo.Snapshot
	switch len(revisions) {
	case 1:
		commit, err := c.repo.ResolveCommit(revisions[0])
		if err != nil {
			return ambiguous(revisions[0])
		}
		if len(commit.ParentHashes) != 1 && !(len(commit.ParentHashes) == 0 && o.Has("root")) {
			return nil // a merge shows nothing without -m or -c, a first commit nothing without --root
		}
		parent := repo.Zero
		if len(commit.ParentHashes) > 0 {
			parent = commit.ParentHashes[0]
		}
		if a, b, err = c.repo.Differences(parent, commit.Hash, paths); err != nil {
			return err
		}
		if !o.Has("no-commit-id") && len(a)+len(b) > 0 {
			c.printf("%s\n", commit.Hash)
		}
	case 2:
		if a, err = c.tree(revisions[0]); err == nil {
			b, err = c.tree(revisions[1])
		}
		if err != nil {
			return err
		}
	default:
		return &failure{129, "usage: " + commands()["diff-tree"].usage}
	}
	changes := compare(a, b, paths)
	if !o.Has("r") && !o.Has("p") && !o.Has("stat") && !o.Has("numstat") && !o.Has("shortstat") {
		changes = topLevel(changes)
	}
	return c.plumbingDiff(o, changes, false)
}

// topLevel shows directories in place of what changed in them.
func topLevel(changes []change) (out []change) {
	for _, ch := range changes {
		if dir, _, ok := strings.Cut(ch.new, "/"); ok {
			ch = change{status: 'M', old: dir, new: dir}
			if len(out) > 0 && out[len(out)-1].new == dir {
				continue
			}
		}
		out = append(out, ch)
	}
	return out
}

func diffIndex(c *call) error {
	o, err := c.parse("cached m merge-base " + diffOptions)
	if err != nil {
		return err
	}
	revisions, paths, err := c.split(o)
	if err != nil {
		return err
	}
	if len(revisions) != 1 {
		return &failure{129, "usage: " + commands()["diff-index"].usage}
	}
	d := &diffOutput{repo: c.repo}
	a, b, err := c.sides(d, revisions, o.Has("cached"))
	if err != nil {
		return err
	}
	return c.plumbingDiff(o, compare(a, b, paths), !o.Has("cached"))
}

func diffFiles(c *call) error {
	o, err := c.parse("0 1 2 3 c cc " + diffOptions)
	if err != nil {
		return err
	}
	paths, outside := c.repo.Paths(o.Rest())
	if outside != "" {
		return c.outside(outside)
	}
	a, b, err := c.sides(&diffOutput{repo: c.repo}, nil, false)
	if err != nil {
		return err
	}
	return c.plumbingDiff(o, compare(a, b, paths), true)
}

func (c *call) plumbingDiff(o *option.Result, changes []change, disk bool) error {
	d, err := c.diffOutput(o, "raw")
	if err != nil {
		return err
	}
	d.disk = disk
	d.renames = o.Has("M")
	if !o.Has("abbrev") && d.digits == 0 {
		d.long = d.long || slices.Equal(d.forms, []string{"raw"})
	}
	changes = d.pick(changes)
	if !o.Has("quiet") {
		d.write(c.stdout, changes)
	}
	if len(changes) > 0 && (o.Has("quiet") || o.Has("exit-code")) {
		return quiet(1)
	}
	return nil
}

// readTree makes the index as a tree is, and leaves the working tree alone.
func readTree(c *call) error {
	o, err := c.parse("m u empty reset v prefix= i n")
	if err != nil {
		return err
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	files := repo.Snapshot{}
	switch args := o.Rest(); {
	case o.Has("empty"):
	case len(args) == 1 && !o.Has("prefix"):
		if files, err = c.tree(args[0]); err != nil {
			return fatal("Not a valid object name %s", args[0])
		}
	default:
		return fatal("read-tree: only one tree, without --prefix, is supported in this sandbox")
	}
	if o.Has("u") || o.Has("reset") && o.Has("u") {
		return c.force(files)
	}
	clear(x.Conflicts)
	for _, ch := range compare(x.Files, files, nil) {
		if ch.status == 'D' {
			x.Remove(ch.new)
			continue
		}
		x.Put(ch.new, ch.to)
	}
	return x.Save()
}

// checkIgnore prints which paths are ignored.
func checkIgnore(c *call) error {
	o, err := c.parse("q,quiet v,verbose n,non-matching stdin z no-index")
	if err != nil {
		return err
	}
	args := o.Rest()
	if o.Has("stdin") {
		in := bufio.NewScanner(c.stdin)
		for in.Scan() {
			args = append(args, in.Text())
		}
	}
	if len(args) == 0 {
		return fatal("no path specified")
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	found := false
	for _, arg := range args {
		paths, outside := c.repo.Paths([]string{arg})
		if outside != "" {
			return c.outside(outside)
		}
		source, ignored := c.repo.IgnoredBy(paths[0])
		ignored = ignored && (o.Has("no-index") || !x.Tracks(paths[0]))
		found = found || ignored
		switch {
		case o.Has("q"):
		case o.Has("v") && ignored:
			c.printf("%s\t%s\n", source, arg)
		case o.Has("v") && o.Has("n"):
			c.printf("::\t%s\n", arg)
		case ignored:
			c.printf("%s\n", arg)
		}
	}
	if !found {
		return quiet(1)
	}
	return nil
}

// variable prints one of the values that git works with.
func variable(c *call) error {
	if len(c.args) != 1 {
		return &failure{129, "usage: git var (-l | <variable>)"}
	}
	role, ok := map[string]string{"GIT_AUTHOR_IDENT": "AUTHOR", "GIT_COMMITTER_IDENT": "COMMITTER"}[c.args[0]]
	if !ok {
		return &failure{129, "usage: git var (-l | <variable>)"}
	}
	who, err := c.repo.Identity(role)
	if err != nil {
		return fatal("%v", err)
	}
	c.printf("%s <%s> %d %s\n", who.Name, who.Email, who.When.Unix(), who.When.Format("-0700"))
	return nil
}

// checkRefFormat tells whether a reference may be called so.
func checkRefFormat(c *call) error {
	o, err := c.parse("branch normalize allow-onelevel no-allow-onelevel refspec-pattern")
	if err != nil {
		return err
	}
	if len(o.Rest()) != 1 {
		return &failure{129, "usage: git check-ref-format [--normalize] [<options>] <refname>"}
	}
	name := o.Rest()[0]
	if o.Has("branch") {
		if name = c.branchName(name); !repo.ValidName(name) {
			return fatal("'%s' is not a valid branch name", o.Rest()[0])
		}
		c.printf("%s\n", name)
		return nil
	}
	if !repo.ValidName(name) || !o.Has("allow-onelevel") && !strings.Contains(name, "/") {
		return quiet(1)
	}
	if o.Has("normalize") {
		c.printf("%s\n", name)
	}
	return nil
}

func (c *call) branchName(name string) string {
	if c.repo == nil {
		return name
	}
	return c.prior(name)
}
