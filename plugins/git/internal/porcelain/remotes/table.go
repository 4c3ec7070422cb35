package remotes

import (
	"fmt"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A table tells which references a fetch changes, and changes them.
type table struct {
	c                  *cli.Call
	from               string // where from, told before the first line
	width              int    // of what is left of the arrow
	silent, dry, force bool
	why                string // what the reflog says
	begun              bool
	rejected           bool
}

func (t *table) line(sign byte, summary, src, dst, note string) {
	if t.silent {
		return
	}
	if !t.begun {
		fmt.Fprintf(t.c.Stderr, "From %s\n", shown(t.from))
		t.begun = true
	}
	if note != "" {
		note = "  (" + note + ")"
	}
	fmt.Fprintf(t.c.Stderr, " %c %-17s %-*s -> %s%s\n", sign, summary, t.width, src, dst, note)
}

// update moves the references.
func (t *table) update(list []fetched) error {
	for _, f := range list {
		dst := "FETCH_HEAD"
		if f.dst != "" {
			dst = short(f.dst)
		}
		if src := short(f.name); len(src)+len(dst)+25 < 80 && (f.dst == "" || t.c.Repo.Ref(f.dst) != f.h) {
			t.width = max(t.width, len(src))
		}
	}
	for _, f := range list {
		if err := t.one(f); err != nil {
			return err
		}
	}
	if t.rejected {
		return cli.Quiet(1)
	}
	return nil
}

func (t *table) one(f fetched) error {
	r, src, dst := t.c.Repo, short(f.name), short(f.dst)
	if f.dst == "" {
		kind := "branch"
		if strings.HasPrefix(f.name, "refs/tags/") {
			kind = "tag"
		}
		t.line('*', kind, src, "FETCH_HEAD", "")
		return nil
	}
	old := r.Ref(f.dst)
	isTag := strings.HasPrefix(f.dst, "refs/tags/")
	force := f.force || t.force
	switch {
	case old == f.h:
		return nil
	case old == repo.Zero:
		kind := "[new ref]"
		if isTag {
			kind = "[new tag]"
		} else if strings.HasPrefix(f.name, "refs/heads/") {
			kind = "[new branch]"
		}
		t.line('*', kind, src, dst, "")
		return t.set(f, old, "storing head")
	case isTag && !force:
		t.rejected = true
		t.line('!', "[rejected]", src, dst, "would clobber existing tag")
		return nil
	case isTag:
		t.line('t', "[tag update]", src, dst, "")
		return t.set(f, old, "updating tag")
	}
	ahead, err := r.IsAncestor(old, f.h)
	switch {
	case err == nil && ahead:
		t.line(' ', cli.Abbreviate(old)+".."+cli.Abbreviate(f.h), src, dst, "")
		return t.set(f, old, "fast-forward")
	case force:
		t.line('+', cli.Abbreviate(old)+"..."+cli.Abbreviate(f.h), src, dst, "forced update")
		return t.set(f, old, "forced-update")
	}
	t.rejected = true
	t.line('!', "[rejected]", src, dst, "non-fast-forward")
	return nil
}

func (t *table) set(f fetched, old plumbing.Hash, how string) error {
	if t.dry {
		return nil
	}
	if err := t.c.Repo.SetRef(f.dst, f.h); err != nil {
		return err
	}
	return t.c.Repo.Log(f.dst, old, f.h, t.why+": "+how)
}

// prune removes the references here that follow what is gone there.
func (t *table) prune(from remote, there *advertisement, specs []string) error {
	list := from.fetch
	if len(specs) > 0 {
		list = nil
		for _, s := range specs {
			list = append(list, parseRefspec(s))
		}
	}
	for _, s := range list {
		names, err := t.c.Repo.Refs("refs/")
		if err != nil {
			return err
		}
		for _, name := range names {
			name = "refs/" + name
			src, ok := s.back(name)
			if _, exists := there.find(src); !ok || exists || t.c.Repo.Target(name) != "" {
				continue
			}
			t.line('-', "[deleted]", "(none)", short(name), "")
			if t.dry {
				continue
			}
			if err := t.c.Repo.RemoveRef(name); err != nil {
				return err
			}
		}
	}
	return nil
}
