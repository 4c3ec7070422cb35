package porcelain

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func tag(c *call) error {
	o, err := c.parse("a,annotate m,message= F,file= d,delete l,list f,force n? s,sign u,local-user= v,verify no-sign color? cleanup= create-reflog" + refFilters)
	if err != nil {
		return err
	}
	args := o.Rest()
	switch {
	case o.Has("d"):
		return c.deleteTags(args)
	case o.Has("l") || len(args) == 0 || o.Has("n") || o.Has("contains") || o.Has("no-contains") || o.Has("merged") || o.Has("no-merged") || o.Has("points-at"):
		return c.listTags(o)
	case o.Has("s") || o.Has("u") || o.Has("v"):
		return fatal("there are no keys in this sandbox: signed tags are not supported")
	}
	name, at := args[0], "HEAD"
	if len(args) > 1 {
		at = args[1]
	}
	old := c.repo.Ref("refs/tags/" + name)
	commit, err := c.repo.ResolveCommit(at)
	switch {
	case !repo.ValidName(name):
		return fatal("'%s' is not a valid tag name.", name)
	case err != nil:
		return fatal("Failed to resolve '%s' as a valid ref.", at)
	case old != repo.Zero && !o.Has("f"):
		return fatal("tag '%s' already exists", name)
	}
	h := commit.Hash
	if o.Has("a") || o.Has("m") || o.Has("F") {
		message := strings.Join(o.All("m"), "\n\n")
		switch {
		case o.Has("m"):
		case o.Has("F"):
			b, err := c.readFile(o.Arg("F"))
			if err != nil {
				return fatal("could not open or read '%s': %s", o.Arg("F"), reason(err))
			}
			message = string(b)
		default:
			return fatal("there is no editor in this sandbox: give the message with -m")
		}
		tagger, err := c.repo.Identity("COMMITTER")
		if errors.Is(err, repo.ErrNoIdentity) {
			return &failure{128, "Committer identity unknown\n" + whoAreYou + "fatal: " + err.Error()}
		}
		if err != nil {
			return fatal("%v", err)
		}
		if h, err = c.repo.WriteTag(name, h, tagger, clean(message)); err != nil {
			return err
		}
	}
	if old != repo.Zero && old != h {
		c.printf("Updated tag '%s' (was %s)\n", name, abbreviate(old))
	}
	return c.repo.SetRef("refs/tags/"+name, h)
}

func (c *call) listTags(o *option.Result) error {
	c.page()
	refs, err := c.allRefs("refs/tags/")
	if err != nil {
		return err
	}
	refs, patterns, err := c.filter(o, refs)
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
			text, err := c.expandRef(o.Arg("format"), r)
			if err != nil {
				return err
			}
			c.printf("%s\n", text)
		case lines > 0:
			c.printf("%-15s %s\n", name, firstLines(r, lines))
		default:
			c.printf("%s\n", name)
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

func (c *call) deleteTags(names []string) error {
	for _, name := range names {
		h := c.repo.Ref("refs/tags/" + name)
		if h == repo.Zero {
			return wrong("tag '%s' not found.", name)
		}
		if err := c.repo.RemoveRef("refs/tags/" + name); err != nil {
			return err
		}
		c.printf("Deleted tag '%s' (was %s)\n", name, abbreviate(h))
	}
	return nil
}
