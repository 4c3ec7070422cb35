package porcelain

import (
	"os"
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func lsFiles(c *call) error {
	o, err := c.parse("c,cached d,deleted m,modified o,others i,ignored s,stage u,unmerged z t k,killed v eol f exclude-standard exclude= full-name error-unmatch directory no-empty-directory deduplicate")
	if err != nil {
		return err
	}
	paths, outside := c.repo.Paths(o.Rest())
	if outside != "" {
		return c.outside(outside)
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	end, show := "\n", c.show
	if o.Has("full-name") {
		show = quote
	}
	if o.Has("z") {
		end, show = "\x00", func(name string) string { return relative(c.repo.Prefix, name) }
	}
	list := func(names []string) {
		for _, name := range names {
			if paths.Match(name) && strings.HasPrefix(name, c.repo.Prefix) {
				c.printf("%s%s", show(name), end)
			}
		}
	}
	if o.Has("error-unmatch") {
		for i := range paths {
			if !matches(paths, i, x.Names()) {
				return wrong("pathspec '%s' did not match any file(s) known to git\nDid you forget to 'git add'?", o.Rest()[i])
			}
		}
	}
	if o.Has("o") {
		names, err := x.Untracked(true)
		if o.Has("i") {
			names, err = x.Ignored(true)
		}
		if err != nil {
			return err
		}
		list(names)
	}
	if o.Has("m") || o.Has("d") {
		disk, err := x.OnDisk()
		if err != nil {
			return err
		}
		for _, ch := range compare(x.Files, disk, nil) {
			if o.Has("m") || ch.status == 'D' {
				list([]string{ch.new})
			}
		}
	}
	if o.Has("k") {
		return nil // files never stand where a directory has to go: what was there went when the index did
	}
	stages := o.Has("s") || o.Has("u")
	if !stages && !o.Has("c") && (o.Has("o") || o.Has("m") || o.Has("d")) {
		return nil
	}
	for _, name := range x.Names() {
		if !paths.Match(name) || !strings.HasPrefix(name, c.repo.Prefix) {
			continue
		}
		sides := append([]repo.File{x.Files[name]}, make([]repo.File, 3)...)
		if conflict, open := x.Conflicts[name]; open {
			sides = append(sides[:1], conflict[:]...)
		} else if o.Has("u") {
			continue
		}
		for stage, f := range sides {
			if f == (repo.File{}) {
				continue
			}
			if o.Has("t") {
				c.printf("%s ", map[bool]string{true: "H", false: "M"}[stage == 0])
			}
			if stages {
				c.printf("%06o %s %d\t", uint32(f.Mode), f.Hash, stage)
			}
			c.printf("%s%s", show(name), end)
		}
	}
	return nil
}

func remove(c *call) error {
	o, err := c.parse("r f,force cached q,quiet n,dry-run ignore-unmatch")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) == 0 {
		return fatal("No pathspec was given. Which files should I remove?")
	}
	paths, outside := c.repo.Paths(args)
	if outside != "" {
		return c.outside(outside)
	}
	s, err := c.state(paths, false, true)
	if err != nil {
		return err
	}
	var names []string
	for i, p := range paths {
		found := false
		for _, name := range s.index.Names() {
			if !paths.MatchOne(i, name) {
				continue
			}
			found = true
			if name != p && !o.Has("r") && !strings.ContainsAny(p, "*?[") {
				return fatal("not removing '%s' recursively without -r", args[i])
			}
			names = append(names, name)
		}
		if !found && !o.Has("ignore-unmatch") {
			return fatal("pathspec '%s' did not match any files", args[i])
		}
	}
	if !o.Has("f") {
		if err := s.unsafe(names, o.Has("cached")); err != nil {
			return err
		}
	}
	for _, name := range names {
		if !o.Has("q") {
			c.printf("rm '%s'\n", name)
		}
		if o.Has("n") {
			continue
		}
		s.index.Remove(name)
		if o.Has("cached") {
			continue
		}
		if err := c.repo.RemoveDisk(name); err != nil {
			return err
		}
	}
	if o.Has("n") {
		return nil
	}
	return s.index.Save()
}

// unsafe fails if files have changes that are nowhere else.
func (s *state) unsafe(names []string, cached bool) error {
	var staged, local, both []string
	for _, name := range names {
		if _, open := s.index.Conflicts[name]; open {
			continue
		}
		f := s.index.Files[name]
		disk, exists := s.disk[name]
		changed, new := exists && disk != f, s.head[name] != f
		switch {
		case changed && new:
			both = append(both, name)
		case cached || !exists:
		case new:
			staged = append(staged, name)
		case changed:
			local = append(local, name)
		}
	}
	var b strings.Builder
	for _, kind := range []struct {
		names []string
		what  string
		hint  string
	}{
		{both, "staged content different from both the\nfile and the HEAD:", "(use -f to force removal)"},
		{staged, "changes staged in the index:", "(use --cached to keep the file, or -f to force removal)"},
		{local, "local modifications:", "(use --cached to keep the file, or -f to force removal)"},
	} {
		if len(kind.names) == 0 {
			continue
		}
		have := "file has "
		if len(kind.names) > 1 {
			have = "files have "
		}
		b.WriteString("error: the following " + have + kind.what + "\n    " + strings.Join(kind.names, "\n    ") + "\n" + kind.hint + "\n")
	}
	if b.Len() > 0 {
		return &failure{1, b.String()}
	}
	return nil
}

func move(c *call) error {
	o, err := c.parse("f,force n,dry-run v,verbose k")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) < 2 {
		return &failure{129, "usage: " + commands()["mv"].usage}
	}
	paths, outside := c.repo.Paths(args)
	if outside != "" {
		return c.outside(outside)
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	last := paths[len(paths)-1]
	info, err := os.Stat(c.repo.Path(last))
	into := err == nil && info.IsDir()
	if len(args) > 2 && !into {
		return fatal("destination '%s' is not a directory", args[len(args)-1])
	}
	for _, from := range paths[:len(paths)-1] {
		to := last
		if into {
			to = path.Join(last, path.Base(from))
		}
		if err := c.moveOne(x, from, to, o.Has("f")); err != nil {
			return err
		}
	}
	return x.Save()
}

func (c *call) moveOne(x *repo.Index, from, to string, force bool) error {
	_, tracked := x.Files[from]
	_, err := os.Lstat(c.repo.Path(from))
	bad := ""
	switch {
	case err != nil:
		bad = "bad source"
	case !tracked && !x.Files.HasDir(from):
		bad = "not under version control"
	}
	if _, err := os.Lstat(c.repo.Path(to)); bad == "" && err == nil && !force {
		bad = "destination exists"
	}
	if bad != "" {
		return fatal("%s, source=%s, destination=%s", bad, from, to)
	}
	if err := os.Rename(c.repo.Path(from), c.repo.Path(to)); err != nil {
		return fatal("renaming '%s' failed: %s", from, reason(err))
	}
	for _, name := range x.Files.Names() {
		rest, below := strings.CutPrefix(name, from+"/")
		f := x.Files[name]
		switch {
		case name == from:
			x.Remove(name)
			x.Put(to, f)
		case below:
			x.Remove(name)
			x.Put(to+"/"+rest, f)
		}
	}
	return nil
}
