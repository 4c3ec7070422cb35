package refs

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/record"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func Tag(c *cli.Call) error {
	o, err := c.Parse("a,annotate m,message= F,file= d,delete l,list f,force n? s,sign u,local-user= v,verify no-sign color? cleanup= create-reflog" + refFilters)
	if err != nil {
		return err
	}
	args := o.Rest()
	switch {
	case o.Has("d"):
		return deleteTags(c, args)
	case o.Has("l") || len(args) == 0 || o.Has("n") || o.Has("contains") || o.Has("no-contains") || o.Has("merged") || o.Has("no-merged") || o.Has("points-at"):
		return listTags(c, o)
	case o.Has("s") || o.Has("u") || o.Has("v"):
		return cli.Fatal("there are no keys in this sandbox: signed tags are not supported")
	}
	name, at := args[0], "HEAD"
	if len(args) > 1 {
		at = args[1]
	}
	old := c.Repo.Ref("refs/tags/" + name)
	commit, err := c.Repo.ResolveCommit(at)
	switch {
	case !repo.ValidName(name):
		return cli.Fatal("'%s' is not a valid tag name.", name)
	case err != nil:
		return cli.Fatal("Failed to resolve '%s' as a valid ref.", at)
	case old != repo.Zero && !o.Has("f"):
		return cli.Fatal("tag '%s' already exists", name)
	}
	h := commit.Hash
	if o.Has("a") || o.Has("m") || o.Has("F") {
		message := strings.Join(o.All("m"), "\n\n")
		switch {
		case o.Has("m"):
		case o.Has("F"):
			b, err := c.ReadFile(o.Arg("F"))
			if err != nil {
				return cli.Fatal("could not open or read '%s': %s", o.Arg("F"), cli.Reason(err))
			}
			message = string(b)
		default:
			return cli.Fatal("there is no editor in this sandbox: give the message with -m")
		}
		tagger, err := c.Repo.Identity("COMMITTER")
		if errors.Is(err, repo.ErrNoIdentity) {
			return &cli.Failure{Status: 128, Text: "Committer identity unknown\n" + record.WhoAreYou + "fatal: " + err.Error()}
		}
		if err != nil {
			return cli.Fatal("%v", err)
		}
		if h, err = c.Repo.WriteTag(name, h, tagger, messages.Clean(message)); err != nil {
			return err
		}
	}
	if old != repo.Zero && old != h {
		c.Printf("Updated tag '%s' (was %s)\n", name, cli.Abbreviate(old))
	}
	return c.Repo.SetRef("refs/tags/"+name, h)
}

func listTags(c *cli.Call, o *option.Result) error {
	c.Page()
	refs, err := allRefs(c, "refs/tags/")
	if err != nil {
		return err
	}
	refs, patterns, err := filter(c, o, refs)
	if err != nil {
		return err
	}
	lines := 0
	if o.Has("n") {
		if lines, err = strconv.Atoi(cmp.Or(o.Arg("n"), "1")); err != nil {
			return &option.Error{Text: "switch `n' expects a numerical value"}
		}
	}
	for _, r := range refs {
		name := r.short()
		if len(patterns) > 0 && !slices.ContainsFunc(patterns, func(p string) bool { return repo.Wild(p, name) }) {
			continue
		}
		switch {
		case o.Has("format"):
			text, err := expandRef(c, o.Arg("format"), r)
			if err != nil {
				return err
			}
			c.Printf("%s\n", text)
		case lines > 0:
			c.Printf("%-15s %s\n", name, firstLines(r, lines))
		default:
			c.Printf("%s\n", name)
		}
	}
	return nil
}

// firstLines are the first lines of the tag's message, or of the commit's.
func firstLines(r refInfo, n int) string {
	message := ""
	switch {
	case r.tag != nil:
		message = r.tag.Message
	case r.commit != nil:
		message = r.commit.Message
	}
	lines := strings.Split(strings.TrimRight(message, "\n"), "\n")
	return strings.Join(lines[:min(n, len(lines))], "\n    ")
}

func deleteTags(c *cli.Call, names []string) error {
	for _, name := range names {
		h := c.Repo.Ref("refs/tags/" + name)
		if h == repo.Zero {
			return cli.Wrong("tag '%s' not found.", name)
		}
		if err := c.Repo.RemoveRef("refs/tags/" + name); err != nil {
			return err
		}
		c.Printf("Deleted tag '%s' (was %s)\n", name, cli.Abbreviate(h))
	}
	return nil
}
