package porcelain

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const lsTreeUsage = "git ls-tree [<options>] <tree-ish> [<path>...]"

func lsTree(c *call) error {
	o, err := c.parse("d r t z l,long name-only,name-status object-only full-name full-tree format= abbrev?")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) == 0 {
		return &failure{129, "usage: " + lsTreeUsage}
	}
	h, err := c.repo.Resolve(args[0])
	if err != nil {
		return fatal("Not a valid object name %s", args[0])
	}
	prefix := c.repo.Prefix
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
	c      *call
	o      *option.Result
	prefix string   // of the current directory
	paths  []string // what is asked for; a "/" at the end asks for what is in a directory
}

func (l *treeLister) list(h plumbing.Hash, dir string, depth int) error {
	entries, err := l.c.repo.Entries(h)
	if err != nil {
		return fatal("not a tree object")
	}
	if depth > 500 {
		return fatal("tree %s is too deep", h)
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
		shown = relative(l.prefix, name)
	}
	end := "\n"
	if l.o.Has("z") {
		end = "\x00"
	} else {
		shown = quote(shown)
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
		id = abbreviate(e.Hash)
	}
	c := l.c
	switch {
	case l.o.Has("name-only"):
		c.printf("%s%s", shown, end)
	case l.o.Has("object-only"):
		c.printf("%s%s", id, end)
	case l.o.Has("format"):
		text := strings.NewReplacer("%(objectmode)", fmt.Sprintf("%06o", uint32(e.Mode)), "%(objecttype)", kind, "%(objectname)", id, "%(path)", shown,
			"%x09", "\t", "%x00", "\x00", "%%", "%").Replace(l.o.Arg("format"))
		c.printf("%s%s", text, end)
	case l.o.Has("l"):
		size := "-"
		if kind == "blob" {
			n, err := c.repo.Size(e.Hash)
			if err != nil {
				return err
			}
			size = fmt.Sprint(n)
		}
		c.printf("%06o %s %s %7s\t%s%s", uint32(e.Mode), kind, id, size, shown, end)
	default:
		c.printf("%06o %s %s\t%s%s", uint32(e.Mode), kind, id, shown, end)
	}
	return nil
}

func catFile(c *call) error {
	o, err := c.parse("t s e p batch? batch-check? textconv filters allow-unknown-type buffer batch-all-objects")
	if err != nil {
		return err
	}
	if o.Has("batch") || o.Has("batch-check") {
		return c.catBatch(o.Has("batch"))
	}
	args := o.Rest()
	how, _ := o.Last("t", "s", "e", "p")
	kind := ""
	if how == "" && len(args) == 2 {
		kind, args = args[0], args[1:]
	}
	if len(args) != 1 {
		return &failure{129, "fatal: <object> required with '-" + how + "'"}
	}
	h, err := c.repo.Resolve(args[0])
	if err != nil {
		return fatal("Not a valid object name %s", args[0])
	}
	if kind != "" {
		if h, err = c.repo.PeelTo(h, kind); err != nil {
			return fatal("git cat-file %s: bad file", args[0])
		}
	}
	t, b, err := c.repo.Object(h)
	switch {
	case err != nil && how == "e":
		return quiet(1)
	case err != nil:
		return fatal("git cat-file: could not get object info")
	case how == "t":
		c.printf("%s\n", t)
	case how == "s":
		c.printf("%d\n", len(b))
	case how == "e":
	case how == "p" && t == plumbing.TreeObject:
		return (&treeLister{c: c, o: &option.Result{}}).list(h, "", 0)
	default:
		c.stdout.Write(b)
	}
	return nil
}

// catBatch answers for the objects that lines of standard input name.
func (c *call) catBatch(contents bool) error {
	in := bufio.NewScanner(c.stdin)
	for in.Scan() {
		name := in.Text()
		h, err := c.repo.Resolve(name)
		if err != nil {
			c.printf("%s missing\n", name)
			continue
		}
		t, b, err := c.repo.Object(h)
		if err != nil {
			c.printf("%s missing\n", name)
			continue
		}
		c.printf("%s %s %d\n", h, t, len(b))
		if contents {
			c.printf("%s\n", b)
		}
	}
	return in.Err()
}

func hashObject(c *call) error {
	o, err := c.parse("w stdin t= path= no-filters literally stdin-paths")
	if err != nil {
		return err
	}
	kind := plumbing.BlobObject
	if o.Has("t") {
		if kind, err = plumbing.ParseObjectType(o.Arg("t")); err != nil {
			return fatal("invalid object type \"%s\"", o.Arg("t"))
		}
	}
	put := func(b []byte) error {
		h, err := repo.Hash(kind, b)
		if err == nil && o.Has("w") {
			if c.repo == nil {
				return fatal("%v", repo.ErrNone)
			}
			h, err = c.repo.Write(kind, b)
		}
		if err == nil {
			c.printf("%s\n", h)
		}
		return err
	}
	if o.Has("stdin") {
		b, err := io.ReadAll(c.stdin)
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
			return fatal("could not open '%s' for reading: %s", name, reason(err))
		}
		if err := put(b); err != nil {
			return err
		}
	}
	return nil
}

func writeTreeCommand(c *call) error {
	if _, err := c.parse("missing-ok"); err != nil {
		return err
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	if names := x.Unmerged(); len(names) > 0 {
		return fatal("git-write-tree: error building trees")
	}
	h, err := c.repo.WriteTree(x.Files)
	if err == nil {
		c.printf("%s\n", h)
	}
	return err
}

func commitTree(c *call) error {
	o, err := c.parse("p= m= F= S? no-gpg-sign")
	if err != nil {
		return err
	}
	if len(o.Rest()) != 1 {
		return fatal("must give exactly one tree")
	}
	h, err := c.repo.Resolve(o.Rest()[0])
	if err != nil {
		return fatal("not a valid object name %s", o.Rest()[0])
	}
	if h, err = c.repo.PeelTo(h, "tree"); err != nil {
		return fatal("%s is not a valid 'tree' object", o.Rest()[0])
	}
	var parents []plumbing.Hash
	for _, name := range o.All("p") {
		commit, err := c.repo.ResolveCommit(name)
		if err != nil {
			return fatal("not a valid object name %s", name)
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
		b, err := c.readFile(name)
		if err != nil {
			return fatal("could not read '%s': %s", name, reason(err))
		}
		message = string(b)
	}
	author, committer, err := c.signatures(&option.Result{}, nil)
	if err != nil {
		return err
	}
	made, err := c.repo.WriteCommit(h, parents, author, committer, message)
	if err == nil {
		c.printf("%s\n", made)
	}
	return err
}
