// Package objects has the plumbing that reads and writes objects: cat-file, hash-object, ls-tree,
// read-tree, write-tree and commit-tree.
package objects

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/record"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const LsTreeUsage = "git ls-tree [<options>] <tree-ish> [<path>...]"

func LsTree(c *cli.Call) error {
	o, err := c.Parse("d r t z l,long name-only,name-status object-only full-name full-tree format= abbrev?")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) == 0 {
		return &cli.Failure{Status: 129, Text: "usage: " + LsTreeUsage}
	}
	h, err := c.Repo.Resolve(args[0])
	if err != nil {
		return cli.Fatal("Not a valid object name %s", args[0])
	}
	prefix := c.Repo.Prefix
	if o.Has("full-tree") {
		prefix = ""
	}
	l := &treeLister{c: c, o: o, prefix: prefix}
	for _, arg := range args[1:] {
		p := strings.TrimPrefix(prefix+arg, "./")
		l.paths = append(l.paths, p)
	}
	if len(l.paths) == 0 && prefix != "" {
		l.paths = []string{prefix}
	}
	return l.list(h, "", 0)
}

// A treeLister lists directories as git ls-tree does.
type treeLister struct {
	c      *cli.Call
	o      *option.Result
	prefix string   // of the current directory
	paths  []string // what is asked for; a "/" at the end asks for what is in a directory
}

func (l *treeLister) list(h plumbing.Hash, dir string, depth int) error {
	entries, err := l.c.Repo.Entries(h)
	if err != nil {
		return cli.Fatal("not a tree object")
	}
	if depth > 500 {
		return cli.Fatal("tree %s is too deep", h)
	}
	for _, e := range entries {
		name := dir + e.Name
		isDir := e.Mode == filemode.Dir
		show, inside := l.wants(name, isDir)
		recurse := isDir && (inside || show && l.o.Has("r"))
		switch {
		case !show:
		case l.o.Has("d") && !isDir:
		case recurse && l.o.Has("r") && !l.o.Has("t") && !l.o.Has("d"):
		default:
			if err := l.print(e, name); err != nil {
				return err
			}
		}
		if recurse && !(l.o.Has("d") && !l.o.Has("r") && !inside) {
			if err := l.list(e.Hash, name+"/", depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// wants reports whether the name is asked for, and whether to look for more inside of it.
func (l *treeLister) wants(name string, isDir bool) (show, inside bool) {
	if len(l.paths) == 0 {
		return true, false
	}
	for _, p := range l.paths {
		switch {
		case name == p, strings.HasPrefix(name, p) && strings.HasSuffix(p, "/"), strings.HasPrefix(name, p+"/"):
			show = true
		case isDir && strings.HasPrefix(p, name+"/"):
			inside = true
			show = show || l.o.Has("t")
		}
	}
	return show, inside
}

func (l *treeLister) print(e repo.Entry, name string) error {
	shown := name
	if !l.o.Has("full-name") && !l.o.Has("full-tree") {
		shown = cli.Relative(l.prefix, name)
	}
	end := "\n"
	if l.o.Has("z") {
		end = "\x00"
	} else {
		shown = cli.Quote(shown)
	}
	kind := "blob"
	switch e.Mode {
	case filemode.Dir:
		kind = "tree"
	case filemode.Submodule:
		kind = "commit"
	}
	id := e.Hash.String()
	if l.o.Has("abbrev") {
		id = cli.Abbreviate(e.Hash)
	}
	c := l.c
	switch {
	case l.o.Has("name-only"):
		c.Printf("%s%s", shown, end)
	case l.o.Has("object-only"):
		c.Printf("%s%s", id, end)
	case l.o.Has("format"):
		text := strings.NewReplacer("%(objectmode)", fmt.Sprintf("%06o", uint32(e.Mode)), "%(objecttype)", kind, "%(objectname)", id, "%(path)", shown,
			"%x09", "\t", "%x00", "\x00", "%%", "%").Replace(l.o.Arg("format"))
		c.Printf("%s%s", text, end)
	case l.o.Has("l"):
		size := "-"
		if kind == "blob" {
			n, err := c.Repo.Size(e.Hash)
			if err != nil {
				return err
			}
			size = fmt.Sprint(n)
		}
		c.Printf("%06o %s %s %7s\t%s%s", uint32(e.Mode), kind, id, size, shown, end)
	default:
		c.Printf("%06o %s %s\t%s%s", uint32(e.Mode), kind, id, shown, end)
	}
	return nil
}

func CatFile(c *cli.Call) error {
	o, err := c.Parse("t s e p batch? batch-check? textconv filters allow-unknown-type buffer batch-all-objects unordered")
	if err != nil {
		return err
	}
	if o.Has("batch") || o.Has("batch-check") {
		return catBatch(c, o)
	}
	if o.Has("batch-all-objects") {
		return &cli.Failure{Status: 129, Text: "fatal: '--batch-all-objects' requires a batch mode"}
	}
	args := o.Rest()
	how, _ := o.Last("t", "s", "e", "p")
	kind := ""
	if how == "" && len(args) == 2 {
		kind, args = args[0], args[1:]
	}
	if len(args) != 1 {
		return &cli.Failure{Status: 129, Text: "fatal: <object> required with '-" + how + "'"}
	}
	h, err := c.Repo.Resolve(args[0])
	if err != nil {
		return cli.Fatal("Not a valid object name %s", args[0])
	}
	if kind != "" {
		if h, err = c.Repo.PeelTo(h, kind); err != nil {
			return cli.Fatal("git cat-file %s: bad file", args[0])
		}
	}
	t, b, err := c.Repo.Object(h)
	switch {
	case err != nil && how == "e":
		return cli.Quiet(1)
	case err != nil:
		return cli.Fatal("git cat-file: could not get object info")
	case how == "t":
		c.Printf("%s\n", t)
	case how == "s":
		c.Printf("%d\n", len(b))
	case how == "e":
	case how == "p" && t == plumbing.TreeObject:
		return (&treeLister{c: c, o: &option.Result{}}).list(h, "", 0)
	default:
		c.Stdout.Write(b)
	}
	return nil
}

func HashObject(c *cli.Call) error {
	o, err := c.Parse("w stdin t= path= no-filters literally stdin-paths")
	if err != nil {
		return err
	}
	kind := plumbing.BlobObject
	if o.Has("t") {
		if kind, err = plumbing.ParseObjectType(o.Arg("t")); err != nil {
			return cli.Fatal("invalid object type \"%s\"", o.Arg("t"))
		}
	}
	put := func(b []byte) error {
		h, err := repo.Hash(kind, b)
		if err == nil && o.Has("w") {
			if c.Repo == nil {
				return cli.Fatal("%v", repo.ErrNone)
			}
			h, err = c.Repo.Write(kind, b)
		}
		if err == nil {
			c.Printf("%s\n", h)
		}
		return err
	}
	if o.Has("stdin") {
		b, err := io.ReadAll(c.Stdin)
		if err != nil {
			return err
		}
		if err := put(b); err != nil {
			return err
		}
	}
	for _, name := range o.Rest() {
		b, err := os.ReadFile(name)
		if err != nil {
			return cli.Fatal("could not open '%s' for reading: %s", name, cli.Reason(err))
		}
		if err := put(b); err != nil {
			return err
		}
	}
	return nil
}

func WriteTree(c *cli.Call) error {
	if _, err := c.Parse("missing-ok"); err != nil {
		return err
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	if names := x.Unmerged(); len(names) > 0 {
		return cli.Fatal("git-write-tree: error building trees")
	}
	h, err := c.Repo.WriteTree(x.Files)
	if err == nil {
		c.Printf("%s\n", h)
	}
	return err
}

func CommitTree(c *cli.Call) error {
	o, err := c.Parse("p= m= F= S? no-gpg-sign")
	if err != nil {
		return err
	}
	if len(o.Rest()) != 1 {
		return cli.Fatal("must give exactly one tree")
	}
	h, err := c.Repo.Resolve(o.Rest()[0])
	if err != nil {
		return cli.Fatal("not a valid object name %s", o.Rest()[0])
	}
	if h, err = c.Repo.PeelTo(h, "tree"); err != nil {
		return cli.Fatal("%s is not a valid 'tree' object", o.Rest()[0])
	}
	var parents []plumbing.Hash
	for _, name := range o.All("p") {
		commit, err := c.Repo.ResolveCommit(name)
		if err != nil {
			return cli.Fatal("not a valid object name %s", name)
		}
		parents = append(parents, commit.Hash)
	}
	message := strings.Join(o.All("m"), "\n\n")
	switch {
	case o.Has("m"):
		message += "\n"
	default:
		name := "-"
		if o.Has("F") {
			name = o.Arg("F")
		}
		b, err := c.ReadFile(name)
		if err != nil {
			return cli.Fatal("could not read '%s': %s", name, cli.Reason(err))
		}
		message = string(b)
	}
	author, committer, err := record.Signatures(c, &option.Result{}, nil)
	if err != nil {
		return err
	}
	made, err := c.Repo.WriteCommit(h, parents, author, committer, message)
	if err == nil {
		c.Printf("%s\n", made)
	}
	return err
}
